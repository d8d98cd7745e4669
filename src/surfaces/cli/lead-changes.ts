import { InvalidArgumentError, type Command } from "commander";
import type { BulkReport } from "../../features/leads/bulk-model.ts";
import { leadTextFields, type LeadView } from "../../features/leads/model.ts";
import type { Api } from "./api.ts";
import { confirmDeletion } from "./confirm.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { addPatchFlags, patchIn, type PatchFlags } from "./lead-patch-flags.ts";
import { nameOfLead, pathOfLead } from "./lead-text.ts";
import { countOf } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type Fields = { [field: string]: string };
type CreateFlags = UserFlags & { set?: Fields; tag?: string[]; onDuplicate?: string };
type UpdateFlags = UserFlags & PatchFlags & { set?: Fields };
type DeleteFlags = UserFlags & { yes?: boolean; suppress?: boolean };

/** The most leads that one request changes by their IDs. */
const leadsPerRequest = 500;
const customPrefix = "customFields.";

/** Commands that create leads, and change or delete them by ID. */
export function addLeadChanges(group: Command, context: CommandContext): void {
  const create = group
    .command("create")
    .description("Create a lead: with an email, a networkUrl, or firstName, lastName, and company.")
    .option("--set <FIELD=VALUE>", `${fieldHelp} Repeat it for several.`, field)
    .option("--tag <TAG>", "Tag. Repeat it for several.", repeated)
    .option(
      "--on-duplicate <WAY>",
      "If the person is already a lead: create another one, update that one, or error. Default: create.",
    );
  addConnectionFlags(addUserFlag(create)).action((flags: CreateFlags) =>
    forUser(context, flags, async (api, userId) => {
      const body = { ...contentOf(flags.set ?? {}), ...(flags.tag && { tags: flags.tag }) };
      const init = { method: "POST", headers: json, body: JSON.stringify(body) };
      const lead = await leadIn(await api.send("/leads", { onDuplicate: flags.onDuplicate, userId }, init));
      await present(context, lead, `Saved ${nameOfLead(lead)}: ${lead.id}`);
    }),
  );

  const update = group
    .command("update <LEAD_IDS...>")
    .description("Change one lead with --set, or the status, tags, or assignee of several.")
    .option("--set <FIELD=VALUE>", `${fieldHelp} An empty value removes it. Repeat it for several.`, field);
  addConnectionFlags(addUserFlag(addPatchFlags(update))).action((ids: string[], flags: UpdateFlags) =>
    forUser(context, flags, async (api, userId) => {
      const patch = patchIn(flags);
      const [id = "", ...others] = ids;
      if ((flags.set === undefined) === (Object.keys(patch).length === 0))
        throw new CommandError(
          exitCodes.usage,
          "Send what to change: either --set, or --set-status, --add-tag, --remove-tag, and --assign-to.",
        );
      if (flags.set === undefined)
        return tell(context, "Changed", await inParts(ids, (part) => changed(api, part, { ...patch, userId })));
      if (others.length > 0) throw new CommandError(exitCodes.usage, "--set changes one lead at a time.");
      const lead = await updated(api, id, flags.set, userId);
      await present(context, lead, `Updated ${nameOfLead(lead)}.`);
    }),
  );

  const remove = group
    .command("delete <LEAD_IDS...>")
    .description("Delete leads permanently. `bulk --delete` deletes those that match filters.")
    .option("--suppress", "Also add hashes of their addresses to the do-not-contact list.")
    .option("--yes", "Delete more than 100 without asking.");
  addConnectionFlags(addUserFlag(remove)).action((ids: string[], flags: DeleteFlags) =>
    forUser(context, flags, async (api, userId) => {
      await confirmDeletion(context, ids.length, flags.yes === true);
      if (flags.suppress !== true)
        return tell(context, "Deleted", await inParts(ids, (part) => deleted(api, part, userId)));
      for (const id of ids) await api.send(pathOfLead(id), { suppress: "true", userId }, { method: "DELETE" });
      await tell(context, "Deleted", { changed: ids.length, failed: [] });
    }),
  );
}

const json = { "content-type": "application/json" };
const fieldHelp = `Field: ${[...leadTextFields, "assignedTo"].join(", ")}, or customFields.NAME.`;

const changed = (api: Api, ids: readonly string[], change: object) =>
  api.post<BulkReport>("/leads/bulk/update", { ids, ...change });
const deleted = (api: Api, ids: readonly string[], userId: string | undefined) =>
  api.post<BulkReport>("/leads/bulk/delete", { ids, userId });

/** Custom fields are replaced as a whole, so the others are read first, and the version guards against a lost change. */
async function updated(api: Api, id: string, set: Fields, userId: string | undefined): Promise<LeadView> {
  const { customFields, ...change } = contentOf(set);
  const headers = new Headers(json);
  let custom: Record<string, unknown> | undefined;
  if (customFields !== undefined) {
    const before = await api.send(pathOfLead(id), { userId }, {});
    headers.set("if-match", before.headers.get("etag") ?? "*");
    const all = Object.entries({ ...(await leadIn(before)).customFields, ...customFields });
    custom = Object.fromEntries(all.filter(([, value]) => value !== null));
  }
  const body = JSON.stringify({ ...change, ...(custom && { customFields: custom }) });
  return leadIn(await api.send(pathOfLead(id), { userId }, { method: "PUT", headers, body }));
}

/** The body for fields of the command line; empty texts become null. */
function contentOf(set: Fields): { [field: string]: unknown; customFields?: Record<string, unknown> } {
  const entries = Object.entries(set).map(([name, value]) => [name, value === "" ? null : value] as const);
  const isCustom = (name: string) => name.startsWith(customPrefix);
  const custom = entries.filter(([name]) => isCustom(name));
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isCustom(name))),
    ...(custom.length > 0 && {
      customFields: Object.fromEntries(custom.map(([name, value]) => [name.slice(customPrefix.length), value])),
    }),
  };
}

async function leadIn(response: Response): Promise<LeadView> {
  return ((await response.json()) as { data: LeadView }).data;
}

async function inParts(
  ids: readonly string[],
  send: (part: readonly string[]) => Promise<BulkReport>,
): Promise<BulkReport> {
  const total: BulkReport = { changed: 0, failed: [] };
  for (let at = 0; at < ids.length; at += leadsPerRequest) {
    const report = await send(ids.slice(at, at + leadsPerRequest));
    total.changed += report.changed;
    total.failed.push(...report.failed);
  }
  return total;
}

async function tell(context: CommandContext, verb: string, report: BulkReport): Promise<void> {
  const { changed: count, failed } = report;
  if (failed.length > 0) context.exitCode = count === 0 ? exitCodes.failed : exitCodes.partial;
  const lines = [`${verb} ${countOf(count, "lead")}.`, ...failed.map(({ id, message }) => `  ${id}  ${message}`)];
  await present(context, report, lines.join("\n"));
}

function field(value: string, previous: Fields = {}): Fields {
  const at = value.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected FIELD=VALUE, such as company=Engines.");
  return { ...previous, [value.slice(0, at)]: value.slice(at + 1) };
}
