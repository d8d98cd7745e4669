import type { Command } from "commander";
import type { CreditsView, LedgerEntryView } from "../../features/credits/model.ts";
import { actingUserId } from "./acting-user.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type CreditFlags = ConnectionFlags & { user?: string; last: number };

export function addCreditsCommand(program: Command, context: CommandContext): void {
  const credits = program
    .command("credits")
    .description("Show a user's credits and their latest changes. To add credits, use outreachd user grant.")
    .option("--last <NUMBER>", "Number of changes to show.", wholeNumberFlag(1, 500), 10);
  addConnectionFlags(addUserFlag(credits)).action((flags: CreditFlags) =>
    withApi(context, flags, async (api) => {
      const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
      const credit = await api.get<CreditsView>("/credits", { userId });
      const { entries } = await api.get<{ entries: LedgerEntryView[] }>("/credits/ledger", {
        userId,
        limit: flags.last,
      });
      await present(context, { ...credit, entries }, creditText(credit, entries));
    }),
  );
}

function creditText(
  { balance, reserved, costs, monthlyGrant }: CreditsView,
  entries: readonly LedgerEntryView[],
): string {
  const held = reserved > 0 ? `, and ${reserved} reserved by running requests` : "";
  const rows = entries.map(({ createdAt, kind, amount, purpose, note, request }) => [
    createdAt.slice(0, 19).replace("T", " "),
    kind,
    amount > 0 ? `+${amount}` : `${amount}`,
    note ?? purpose ?? "",
    request ?? "",
  ]);
  return [
    `${balance} credits${held}. An enriched lead costs ${costs.enrichment}, a prospect ${costs.search}; ${monthlyGrant} are granted each month.`,
    ...(rows.length > 0 ? ["", renderTable(["TIME (UTC)", "KIND", "AMOUNT", "FOR", "REQUEST"], rows)] : []),
  ].join("\n");
}
