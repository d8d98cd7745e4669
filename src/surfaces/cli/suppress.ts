import { Option, type Command } from "commander";
import { suppressionKinds, type SuppressionKind } from "../../features/suppression/model.ts";
import type { Api } from "./api.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";
import { addSuppressTransferCommands } from "./suppress-transfer.ts";
import { renderTable } from "./table.ts";

type Entry = {
  id: string;
  kind: string;
  scope: string;
  value: string | null;
  hash: string;
  reason: string | null;
  createdAt: string;
};
type Result = { value: string; outcome: string; id: string | null; kind: string | null; message?: string };
type Results = { added: number; existing: number; invalid: number; results: Result[] };
type Answer = {
  doNotContact: boolean;
  matches: { entryId: string; kind: string; scope: string; reason: string | null }[];
};
type Page = { suppressions: Entry[]; total: number };

type CommonFlags = ConnectionFlags & { user?: string };
type AddFlags = CommonFlags & { reason?: string; team?: boolean; hashOnly?: boolean };
type ListFlags = CommonFlags & { kind?: SuppressionKind; q?: string; team?: boolean };

/** Maximum page size of the API. */
const shownEntries = 100;

export function addSuppressCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("suppress")
    .description("Manage the do-not-contact list: people who must not be stored, imported, or contacted by any user.");

  const add = group
    .command("add")
    .description("Add people or companies to the list.")
    .argument("<VALUE...>", "Email addresses, @domains, profile URLs, or phone numbers with + and country code")
    .option("--reason <TEXT>", "Reason, shown to users who are blocked by the entry.")
    .option("--team", "Applies to all workspaces of this installation; for admins.")
    .option("--hash-only", "Store only the hash of each value, which still applies but cannot be read.");
  addConnectionFlags(addUserFlag(add)).action((values: string[], flags: AddFlags) =>
    forUser(context, flags, (api, userId) => addValues(api, values, flags, userId, context)),
  );

  const list = group
    .command("list")
    .description("List entries, newest first: those of the workspace and of the installation.")
    .addOption(new Option("--kind <KIND>", "Only these.").choices(suppressionKinds))
    .option("--q <TEXT>", "Only values that contain this text.")
    .option("--team", "Only entries that apply to all workspaces.");
  addConnectionFlags(addUserFlag(list)).action((flags: ListFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { kind, q, team } = flags;
      const query = { kind, q, scope: team ? "team" : undefined, limit: shownEntries, userId };
      const { suppressions, total } = await api.get<Page>("/suppressions", query);
      if (total > suppressions.length)
        remark(
          context,
          `Showing the newest ${shownEntries} of ${formatCount(total)}. Filter them with --q, or use \`suppress export\`.`,
        );
      await present(context, { suppressions, total }, entriesTable(suppressions));
    }),
  );

  const check = group
    .command("check")
    .description("Check whether a person may be contacted. Exits with 1 if not.")
    .argument("<VALUE>", "Email address, profile URL, or phone number");
  addConnectionFlags(addUserFlag(check)).action((value: string, flags: CommonFlags) =>
    forUser(context, flags, async (api, userId) => {
      const answer = await api.post<Answer>("/suppressions/check", { ...personOf(value), userId });
      if (answer.doNotContact) context.exitCode = exitCodes.failed;
      await present(context, answer, answerText(value, answer));
    }),
  );

  const remove = group
    .command("remove")
    .description("Remove an entry from the list, so that it no longer applies.")
    .argument("<VALUE|ID>", "Value or ID of the entry")
    .option("--team", "Remove the entry of the installation for this value, not that of the workspace; for admins.");
  addConnectionFlags(addUserFlag(remove)).action((wanted: string, flags: CommonFlags & { team?: boolean }) =>
    forUser(context, flags, async (api, userId) => {
      const id = isId.test(wanted) ? wanted : await idOf(api, wanted, flags.team ? "team" : "user", userId);
      await api.delete(
        `/suppressions/${encodeURIComponent(id)}${userId ? `?userId=${encodeURIComponent(userId)}` : ""}`,
      );
      await present(context, { removed: id }, `Removed the entry ${id}.`);
    }),
  );

  addSuppressTransferCommands(group, context);
}

async function addValues(
  api: Api,
  values: string[],
  { reason, team, hashOnly }: AddFlags,
  userId: string | undefined,
  context: CommandContext,
): Promise<void> {
  const scope = team ? "team" : undefined;
  const answer = await api.post<Results>("/suppressions", { values, reason, scope, hashOnly, userId });
  if (answer.invalid > 0) context.exitCode = answer.invalid === values.length ? exitCodes.failed : exitCodes.partial;
  const rows = answer.results.map(({ value, outcome, kind, message }) => [outcome, kind ?? "", value, message ?? ""]);
  await present(context, answer, renderTable(["OUTCOME", "KIND", "VALUE", "NOTE"], rows));
}

async function idOf(api: Api, value: string, scope: string, userId: string | undefined): Promise<string> {
  const { suppressions } = await api.get<Page>("/suppressions", { value, scope, userId });
  const [entry] = suppressions;
  if (entry !== undefined) return entry.id;
  throw new CommandError(
    exitCodes.failed,
    `${scope === "team" ? "The installation has" : "The workspace has"} no entry for ${value}.`,
    {
      hint: "`outreachd suppress list` shows all entries. To remove one of the installation, add --team.",
    },
  );
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function personOf(value: string): Record<string, string> {
  if (value.includes("/")) return { networkUrl: value };
  return value.includes("@") ? { email: value } : { phone: value };
}

function answerText(value: string, { doNotContact, matches }: Answer): string {
  if (!doNotContact) return `${value} is not on the list.`;
  const rows = matches.map(({ kind, scope, reason, entryId }) => [kind, scope, reason ?? "", entryId]);
  return `Do not contact ${value}:\n${renderTable(["KIND", "LIST", "REASON", "ID"], rows)}`;
}

function entriesTable(entries: readonly Entry[]): string {
  if (entries.length === 0) return "No entries found. Add one with `outreachd suppress add VALUE`.";
  const rows = entries.map(({ kind, value, hash, scope, reason, createdAt, id }) => [
    kind,
    value ?? hash,
    scope,
    reason ?? "",
    createdAt.slice(0, 10),
    id,
  ]);
  return renderTable(["KIND", "VALUE", "LIST", "REASON", "SINCE", "ID"], rows);
}
