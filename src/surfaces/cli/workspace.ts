import type { Command } from "commander";
import type { WorkspaceView } from "../../features/workspaces/model.ts";
import { findUser } from "./acting-user.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags } from "./flags.ts";
import { addWorkspaceMergeCommand } from "./workspace-merge.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type CreateFlags = ConnectionFlags & { owner: string; timeZone?: string };
type UpdateFlags = ConnectionFlags & { name?: string; timeZone?: string };

export function addWorkspaceCommands(program: Command, context: CommandContext): void {
  const workspace = program.command("workspace").description("Create, list, update, and merge workspaces.");

  const create = workspace
    .command("create")
    .description("Create a workspace with a network account and the default credit grant.")
    .argument("<NAME>", "Name of the workspace")
    .requiredOption("--owner <EMAIL|ID>", "User who owns it (email or ID).")
    .option("--time-zone <ZONE>", "IANA time zone. Default: the server's setting.");
  addConnectionFlags(create).action((name: string, { owner, timeZone, ...flags }: CreateFlags) =>
    withApi(context, flags, async (api) => {
      const { id: ownerId, email } = await findUser(api, owner);
      const made = await api.post<WorkspaceView>("/workspaces", { name, timeZone, ownerId });
      await present(context, made, `Created the workspace ${made.name} (ID ${made.id}) for ${email}.`);
    }),
  );

  const list = workspace.command("list").description("List workspaces, oldest first.");
  addConnectionFlags(list).action((flags: ConnectionFlags) =>
    withApi(context, flags, async (api) => {
      const workspaces = await api.getAll<WorkspaceView>("/workspaces", "workspaces", { limit: 100 });
      const rows = workspaces.map(({ id, name, timeZone, createdAt }) => [name, timeZone, createdAt.slice(0, 10), id]);
      await present(context, { workspaces }, renderTable(["NAME", "TIME ZONE", "SINCE", "ID"], rows));
    }),
  );

  const update = workspace
    .command("update")
    .description("Change the name or time zone of a workspace.")
    .argument("<ID>", "ID of the workspace, as shown by `outreachd workspace list`")
    .option("--name <NAME>", "New name.")
    .option("--time-zone <ZONE>", "New IANA time zone.");
  addConnectionFlags(update).action((id: string, { name, timeZone, ...flags }: UpdateFlags) =>
    withApi(context, flags, async (api) => {
      if (name === undefined && timeZone === undefined)
        throw new CommandError(exitCodes.usage, "Nothing to change. Use --name or --time-zone.");
      const changed = await api.put<WorkspaceView>(`/workspaces/${encodeURIComponent(id)}`, { name, timeZone });
      await present(context, changed, `Updated the workspace ${changed.name} (time zone ${changed.timeZone}).`);
    }),
  );

  addWorkspaceMergeCommand(workspace, context);
}
