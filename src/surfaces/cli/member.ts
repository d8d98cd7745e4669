import { Option, type Command } from "commander";
import { memberRoles, type MemberRole } from "../../platform/auth/member-role.ts";
import type { MemberView } from "../../features/workspaces/members/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { permission } from "./key.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

export type WorkspaceFlags = ConnectionFlags & { workspace?: string };
type UpdateFlags = WorkspaceFlags & { role?: MemberRole; permission?: string[]; deactivate?: true; activate?: true };

export function addMemberCommands(program: Command, context: CommandContext): void {
  const member = program.command("member").description("List, update, and remove the members of a workspace.");

  const list = member.command("list").description("List the members of a workspace, oldest first.");
  addWorkspaceFlag(list).action((flags: WorkspaceFlags) =>
    inWorkspace(context, flags, async (api, query) => {
      const { members } = await api.get<{ members: MemberView[] }>("/members", query);
      await present(context, { members }, membersTable(members));
    }),
  );

  const update = member
    .command("update")
    .description("Change the role of a member, or deactivate or reactivate them.")
    .argument("<EMAIL|ID>", "Email or ID of the member")
    .addOption(new Option("--role <ROLE>", "Role in the workspace.").choices(memberRoles))
    .option("--permission <PERMISSION>", "Permission of the role custom. Repeat the flag for several.", permission)
    .addOption(new Option("--deactivate", "Stop the member's keys and sessions.").conflicts("activate"))
    .option("--activate", "Let the member's keys and sessions work again.");
  addWorkspaceFlag(update).action((wanted: string, flags: UpdateFlags) =>
    inWorkspace(context, flags, async (api, query) => {
      const { userId } = await findMember(api, query, wanted);
      const changed = await api.put<MemberView>(`/members/${userId}`, changeIn(flags), query);
      const state = changed.isActive ? "active" : "deactivated";
      await present(context, changed, `${changed.email} is ${changed.role}, ${state}.`);
    }),
  );

  const remove = member
    .command("remove")
    .description("Remove a member from a workspace. Their keys are deleted and their sessions end.")
    .argument("<EMAIL|ID>", "Email or ID of the member")
    .option("--leads-to <EMAIL|ID>", "Member who gets their leads. Default: nobody.")
    .option("--accounts-to <EMAIL|ID>", "Member who gets their network accounts. Default: nobody.");
  addWorkspaceFlag(remove).action((wanted: string, flags: WorkspaceFlags & { leadsTo?: string; accountsTo?: string }) =>
    inWorkspace(context, flags, async (api, query) => {
      const { userId, email } = await findMember(api, query, wanted);
      const heir = async (name: "leadsTo" | "accountsTo") => {
        const named = flags[name];
        return named === undefined ? {} : { [name]: (await findMember(api, query, named)).userId };
      };
      await api.delete(`/members/${userId}`, { ...query, ...(await heir("leadsTo")), ...(await heir("accountsTo")) });
      await present(context, { removed: userId, email }, `Removed ${email} from the workspace.`);
    }),
  );
}

/** For commands about one workspace. */
export function addWorkspaceFlag(command: Command): Command {
  const description =
    "Workspace: its ID, or the email or ID of a user who has only one. Default: that of the only user, otherwise of the first admin.";
  return addConnectionFlags(command.option("--workspace <EMAIL|ID>", description));
}

/** Runs a command with the API and the query that selects the workspace. */
export function inWorkspace(
  context: CommandContext,
  { workspace, ...flags }: WorkspaceFlags,
  command: (api: Api, query: { userId?: string }) => Promise<void>,
): Promise<void> {
  const isId = workspace !== undefined && !workspace.includes("@");
  if (isId) return withApi(context, flags, (api) => command(api, { userId: workspace }));
  const run = (api: Api, userId: string | undefined) => command(api, userId === undefined ? {} : { userId });
  return forUser(context, { ...flags, ...(workspace && { user: workspace }) }, run, { flag: "--workspace" });
}

function changeIn({ role, permission: permissions, deactivate, activate }: UpdateFlags) {
  const change = {
    ...(role && { role }),
    ...(permissions && { role: role ?? "custom", permissions }),
    ...(deactivate && { isActive: false }),
    ...(activate && { isActive: true }),
  };
  if (Object.keys(change).length > 0) return change;
  throw new CommandError(exitCodes.usage, "Nothing to change. Use --role, --permission, --deactivate, or --activate.");
}

/** The member of the workspace with this email or ID. */
export async function findMember(api: Api, query: { userId?: string }, wanted: string): Promise<MemberView> {
  const { members } = await api.get<{ members: MemberView[] }>("/members", query);
  const email = wanted.toLowerCase();
  const member = members.find((one) => one.userId === wanted || one.email.toLowerCase() === email);
  if (member !== undefined) return member;
  throw new CommandError(exitCodes.failed, `${wanted} is not a member of this workspace.`, {
    hint: "`outreachd member list` shows all members.",
  });
}

function membersTable(members: readonly MemberView[]): string {
  const rows = members.map(({ email, name, role, permissions, isActive, createdAt, userId }) => [
    email,
    name ?? "",
    permissions === null ? role : `${role} (${permissions.join(" ")})`,
    isActive ? "active" : "deactivated",
    createdAt.slice(0, 10),
    userId,
  ]);
  return renderTable(["EMAIL", "NAME", "ROLE", "STATE", "SINCE", "ID"], rows);
}
