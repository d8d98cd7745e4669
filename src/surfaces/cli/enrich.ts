import type { Command } from "commander";
import type { EnrichAnswer, EnrichmentResult, LeadToEnrich } from "../../features/enrichment/model.ts";
import type { CompanyToEnrich } from "../../features/enrichment/company-model.ts";
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
  company?: boolean;
};

/** Limit of the API for direct enrichment. */
const maxPeople = 1000;
const examples = `
Examples:
  outreachd enrich ada@example.com
  outreachd enrich 0199a7c2-6f00-7000-8000-000000000001 --write-back
  outreachd enrich --company example.com "Acme Ltd"`;
const accepted = "Identify people by email address, profile URL, or lead ID.";

export function addEnrichCommand(program: Command, context: CommandContext): void {
  const enrich = program
    .command("enrich")
    .description("Enrich people or companies, and show the source and confidence of each field.")
    .argument("<WHO...>", "Email addresses, profile URLs, or lead IDs; with --company, domains or names of companies")
    .option("--company", "Enrich companies, given by their domains or names.")
    .option(
      "--provider <NAME>",
      "Provider to query. Repeat the flag for several, in order. Default: your settings.",
      repeated,
    )
    .option("--write-back", "Fill empty fields of leads given by ID.")
    .option("--refresh", "Query providers again even if there is a result from the last 90 days.")
    .option("--dry-run", "Query no provider; show the maximum cost.")
    .addHelpText("after", examples);
  addConnectionFlags(addUserFlag(enrich)).action((people: string[], flags: EnrichFlags) =>
    withApi(context, flags, async (api) => {
      if (people.length > maxPeople)
        throw new CommandError(
          exitCodes.usage,
          `Expected at most ${maxPeople}, got ${people.length}. For larger batches, use POST /api/v2/enrich.`,
        );
      if (flags.company && flags.writeBack)
        throw new CommandError(exitCodes.usage, "--write-back fills leads, so it cannot be combined with --company.");
      const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
      const { provider: providers, writeBack, refresh, dryRun } = flags;
      const options = { providers, refresh, userId };
      const body = flags.company
        ? { companies: people.map(companyOf), ...options }
        : { leads: people.map(leadOf), writeBack, ...options };
      const path = flags.company ? "/enrich/companies" : "/enrich";
      const answer = await api.post<EnrichAnswer>(`${path}${dryRun ? "?dryRun=true" : ""}`, body);
      await present(context, answer, dryRun ? estimateText(answer) : answerText(answer, people));
      if (answer.failed.length > 0) context.exitCode = exitCodes.partial;
    }),
  );
}

/** A name with a dot but without a space, such as "acme.example", is a domain. */
function companyOf(who: string): CompanyToEnrich {
  return /^\S+\.\S+$/.test(who) && !who.endsWith(".") ? { domain: who } : { name: who };
}

function leadOf(who: string): LeadToEnrich {
  if (who.includes("@") && !who.includes("/")) return { email: who };
  return who.includes("/") ? { networkUrl: who } : { leadId: who };
}

function estimateText({ estimate, remainingCredits }: EnrichAnswer): string {
  if (estimate === undefined) return "The server returned no estimate.";
  const { maxCredits, providers } = estimate;
  return `Costs at most ${maxCredits} of ${remainingCredits} credits. Providers in order: ${providers.join(", ")}.`;
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
      : `\nUnavailable: ${unavailable.join(", ")}. Try again in a few minutes, or next month if a monthly cap is reached.`;
  const table = rows.length === 0 ? "" : `\n${renderTable(["FIELD", "VALUE", "CONFIDENCE", "SOURCE"], rows)}`;
  const verdict =
    emailVerification === undefined
      ? ""
      : `\n${emailVerification.email} is ${emailVerification.verdict}, according to ${emailVerification.provider}.`;
  return `${who}${table}${verdict}${filled}${missed}`;
}

/** A dot in a field name separates nested objects. */
function valueOf(data: unknown, field: string): unknown {
  return field
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], data);
}

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
