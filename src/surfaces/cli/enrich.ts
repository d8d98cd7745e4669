import type { Command } from "commander";
import type { EnrichAnswer, EnrichmentResult, LeadToEnrich } from "../../features/enrichment/model.ts";
import { actingUserId } from "./acting-user.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated } from "./flags.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type EnrichFlags = ConnectionFlags & {
  user?: string;
  provider?: string[];
  writeBack?: boolean;
  refresh?: boolean;
  dryRun?: boolean;
};

/** As many as the API answers directly. */
const maxPeople = 1000;
const accepted = "Name people by an e-mail address, a profile URL, or the id of a lead.";

export function addEnrichCommand(program: Command, context: CommandContext): void {
  const enrich = program
    .command("enrich")
    .description("Find out more about people, and show who said what and how sure it is.")
    .argument("<WHO...>", "E-mail addresses, profile URLs, or ids of leads")
    .option("--provider <NAME>", "Ask this provider; repeat it for several, in their order. Default: yours.", repeated)
    .option("--write-back", "Fill empty fields of the leads that are named by id.")
    .option("--refresh", "Ask again, though there is a result of the last 90 days.")
    .option("--dry-run", "Ask nobody: tell what it would cost at most.");
  addConnectionFlags(addUserFlag(enrich)).action((people: string[], flags: EnrichFlags) =>
    withApi(context, flags, async (api) => {
      if (people.length > maxPeople)
        throw new CommandError(
          exitCodes.usage,
          `At most ${maxPeople} people at once; send more with POST /api/v2/enrich.`,
        );
      const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
      const { provider: providers, writeBack, refresh, dryRun } = flags;
      const body = { leads: people.map(leadOf), providers, writeBack, refresh, userId };
      const answer = await api.post<EnrichAnswer>(`/enrich${dryRun ? "?dryRun=true" : ""}`, body);
      await present(context, answer, dryRun ? estimateText(answer) : answerText(answer, people));
      if (answer.failed.length > 0) context.exitCode = exitCodes.partial;
    }),
  );
}

function leadOf(who: string): LeadToEnrich {
  if (who.includes("@") && !who.includes("/")) return { email: who };
  return who.includes("/") ? { networkUrl: who } : { leadId: who };
}

function estimateText({ estimate, remainingCredits }: EnrichAnswer): string {
  if (estimate === undefined) return "The server gave no estimate.";
  const { maxCredits, providers } = estimate;
  return `It would cost at most ${maxCredits} of ${remainingCredits} credits and ask ${providers.join(", then ")}.`;
}

function answerText(
  { enriched, failed, creditsUsed, remainingCredits }: EnrichAnswer,
  people: readonly string[],
): string {
  const parts = [
    ...enriched.map((result) => ({ index: result.index, text: resultText(result, people[result.index] ?? "") })),
    ...failed.map(({ index, code, message }) => ({
      index,
      text: `${people[index] ?? ""}: ${message}${code === "NOT_FOUND" ? ` ${accepted}` : ""}`,
    })),
  ];
  const inOrder = parts.toSorted((a, b) => a.index - b.index).map(({ text }) => text);
  return [...inOrder, `${creditsUsed} credits used, ${remainingCredits} left.`].join("\n\n");
}

function resultText(
  { enrichedData, fieldConfidence, provenance, emailVerification, writtenBack, unavailable }: EnrichmentResult,
  who: string,
): string {
  const rows = Object.entries(provenance).map(([field, { provider }]) => [
    field,
    shown(valueOf(enrichedData, field)),
    `${Math.round((fieldConfidence[field] ?? 0) * 100)} %`,
    provider,
  ]);
  const filled = writtenBack !== undefined && writtenBack.length > 0 ? `\nFilled: ${writtenBack.join(", ")}` : "";
  const missed =
    unavailable === undefined
      ? ""
      : `\nCould not be asked: ${unavailable.join(", ")}. Try again in a few minutes, or next month where a monthly cap is reached.`;
  const table = rows.length === 0 ? "" : `\n${renderTable(["FIELD", "VALUE", "SURE", "FROM"], rows)}`;
  const verdict =
    emailVerification === undefined
      ? ""
      : `\n${emailVerification.provider} says that ${emailVerification.email} is ${emailVerification.verdict}.`;
  return `${who}${table}${verdict}${filled}${missed}`;
}

/** A dot in a field's name stands for a nested object. */
function valueOf(data: unknown, field: string): unknown {
  return field
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], data);
}

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
