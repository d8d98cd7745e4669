import { Option, type Command } from "commander";
import { leadSortFields, type LeadView } from "../../features/leads/model.ts";
import { takenFields } from "../../features/leads/merge-decision.ts";
import { valueFields, type LeadValue } from "../../features/leads/value-model.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, repeated, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { addLeadBulk } from "./lead-bulk.ts";
import { addLeadChanges } from "./lead-changes.ts";
import { addLeadFilterFlags, leadFiltersIn, queryOf, type LeadFilterFlags } from "./lead-filter-flags.ts";
import {
  duplicatesText,
  leadsText,
  leadText,
  nameOfLead,
  pathOfLead,
  type DuplicateList,
  type LeadList,
} from "./lead-text.ts";
import { addLeadViews } from "./lead-views.ts";
import { formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type UserFlags = ConnectionFlags & { user?: string };
type Membership = { campaignName: string; state: string; step: number | null; campaignId: string };

export function addLeadCommands(program: Command, context: CommandContext): void {
  const group = program.command("leads").description("List, change, and merge leads, one by one or all that match.");
  addReading(group, context);
  addLeadChanges(group, context);
  addLeadBulk(group, context);
  addMerging(group, context);
  addLeadViews(group, context);
}

function addReading(group: Command, context: CommandContext): void {
  const list = group
    .command("list")
    .description("List leads that match the filters. `export leads` writes all of them to a file.")
    .option("--limit <NUMBER>", "Number of leads.", wholeNumberFlag(1, 100), 25)
    .addOption(
      new Option("--sort <FIELD>", `Field to sort by; with - before it, descending. Default: -createdAt.`).choices(
        leadSortFields.flatMap((field) => [field, `-${field}`]),
      ),
    );
  addConnectionFlags(addUserFlag(addLeadFilterFlags(list))).action(
    (flags: UserFlags & LeadFilterFlags & { limit: number; sort?: string }) =>
      forUser(context, flags, async (api, userId) => {
        const filters = queryOf(await leadFiltersIn(api, flags, userId));
        const found = await api.get<LeadList>("/leads", { ...filters, limit: flags.limit, sort: flags.sort, userId });
        await present(context, found, leadsText(found));
      }),
  );

  const show = group.command("show <LEAD_ID>").description("Show a lead with all of its fields.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const lead = await api.get<LeadView>(pathOfLead(id), { userId });
      await present(context, lead, leadText(lead));
    }),
  );

  const campaigns = group
    .command("campaigns <LEAD_ID>")
    .description("List the campaigns that a lead is or was enrolled in, newest first.");
  addConnectionFlags(addUserFlag(campaigns)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const query = { limit: 100, userId };
      const found = await api.getAll<Membership>(`${pathOfLead(id)}/campaigns`, "campaigns", query);
      await present(context, { campaigns: found }, campaignsText(found));
    }),
  );

  const values = group
    .command("values <FIELD>")
    .description(
      `List the most frequent values of a field: ${valueFields.join(", ")}. customField without --name lists the custom fields.`,
    )
    .option("--name <NAME>", "Name of the custom field.")
    .option("--contains <TEXT>", "Only values with this text in them.")
    .option("--limit <NUMBER>", "Number of values.", wholeNumberFlag(1, 100), 20);
  addConnectionFlags(addUserFlag(values)).action(
    (field: string, flags: UserFlags & { name?: string; contains?: string; limit: number }) =>
      forUser(context, flags, async (api, userId) => {
        const { name, contains, limit } = flags;
        const found = await api.get<{ values: LeadValue[] }>("/leads/values", { field, name, contains, limit, userId });
        const rows = found.values.map(({ value, leads }) => [value, formatCount(leads)]);
        await present(context, found, rows.length === 0 ? "No values." : renderTable(["VALUE", "LEADS"], rows));
      }),
  );
}

function addMerging(group: Command, context: CommandContext): void {
  const duplicates = group
    .command("duplicates")
    .description("List groups of leads that may be the same person. `merge` merges two of them.")
    .option("--limit <NUMBER>", "Number of groups.", wholeNumberFlag(1, 50), 20);
  addConnectionFlags(addUserFlag(duplicates)).action((flags: UserFlags & { limit: number }) =>
    forUser(context, flags, async (api, userId) => {
      const found = await api.get<DuplicateList>("/leads/duplicates", { limit: flags.limit, userId });
      await present(context, found, duplicatesText(found));
    }),
  );

  const merge = group
    .command("merge <LEAD_ID> <OTHER_ID>")
    .description(
      "Merge another lead into a lead, with its actions, campaigns, and history. The other lead is deleted, and this cannot be undone.",
    )
    .addOption(
      new Option(
        "--take <FIELD>",
        `Take this field from the other lead although both have one: ${takenFields.join(", ")}. Repeat it for several.`,
      ).argParser(repeated),
    );
  addConnectionFlags(addUserFlag(merge)).action((id: string, otherId: string, flags: UserFlags & { take?: string[] }) =>
    forUser(context, flags, async (api, userId) => {
      const merged = await api.post<LeadView>(`${pathOfLead(id)}/merge`, { otherId, take: flags.take, userId });
      await present(context, merged, `Merged ${otherId} into ${nameOfLead(merged)} (${merged.id}).`);
    }),
  );
}

function campaignsText(found: readonly Membership[]): string {
  if (found.length === 0) return "This lead was never enrolled in a campaign.";
  const rows = found.map(({ campaignName, state, step, campaignId }) => [
    ...[campaignName, state, step === null ? "" : `${step}`, campaignId],
  ]);
  return renderTable(["CAMPAIGN", "STATE", "STEP", "CAMPAIGN ID"], rows);
}
