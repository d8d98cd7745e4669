import type { Command } from "commander";
import type { SavedLeadViewView } from "../../features/leads/views/model.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated } from "./flags.ts";
import { forUser } from "./for-user.ts";
import {
  addLeadFilterFlags,
  leadFiltersIn,
  ownFilters,
  savedViewOf,
  type LeadFilterFlags,
} from "./lead-filter-flags.ts";
import { filtersText, viewsText } from "./lead-text.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ContentFlags = UserFlags & LeadFilterFlags & { name?: string; column?: string[]; sort?: string };

const pathOf = (id: string) => `/leads/views/${encodeURIComponent(id)}`;

/** `leads views`: filters, columns, and order under a name, shared by the workspace. */
export function addLeadViews(group: Command, context: CommandContext): void {
  const views = group.command("views").description("Manage saved views: filters, columns, and order under a name.");

  const list = views.command("list").description("List saved views, oldest first.");
  addConnectionFlags(addUserFlag(list)).action((flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const found = await api.getAll<SavedLeadViewView>("/leads/views", "views", { limit: 100, userId });
      await present(context, { views: found }, viewsText(found));
    }),
  );

  const save = views.command("save <NAME>").description("Save filters, columns, and order under a name.");
  addContentFlags(save).action((name: string, flags: ContentFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { column: columns, sort } = flags;
      const filters = await leadFiltersIn(api, flags, userId);
      const saved = await api.post<SavedLeadViewView>("/leads/views", { name, filters, columns, sort, userId });
      await present(context, saved, `Saved ${saved.name} (${filtersText(saved.filters)}): ${saved.id}`);
    }),
  );

  const update = views
    .command("update <VIEW>")
    .description("Change a view (name or ID). Filters and columns that are sent replace all previous ones.")
    .option("--name <NAME>", "New name.");
  addContentFlags(update).action((wanted: string, flags: ContentFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { name, column: columns, sort, view } = flags;
      const hasFilters = view !== undefined || Object.keys(ownFilters(flags)).length > 0;
      if (!hasFilters && name === undefined && columns === undefined && sort === undefined)
        throw new CommandError(exitCodes.usage, "Nothing to change: send --name, --column, --sort, or filters.");
      const { id } = await savedViewOf(api, wanted, userId);
      const filters = hasFilters ? await leadFiltersIn(api, flags, userId) : undefined;
      const saved = await api.put<SavedLeadViewView>(pathOf(id), { name, filters, columns, sort, userId });
      await present(context, saved, `Updated ${saved.name} (${filtersText(saved.filters)}).`);
    }),
  );

  const remove = views.command("delete <VIEW>").description("Delete a view (name or ID). Its leads stay.");
  addConnectionFlags(addUserFlag(remove)).action((wanted: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { id, name } = await savedViewOf(api, wanted, userId);
      await api.send(pathOf(id), { userId }, { method: "DELETE" });
      await present(context, { id, deleted: true }, `Deleted the view ${name}.`);
    }),
  );
}

function addContentFlags(command: Command): Command {
  command
    .option("--column <NAME>", "Column, such as company or customFields.NAME. Repeat it for several.", repeated)
    .option("--sort <FIELD>", "Field to sort by; with - before it, descending.");
  return addConnectionFlags(addUserFlag(addLeadFilterFlags(command)));
}
