import { Option, type Command } from "commander";
import { memberRoles, type MemberRole } from "../../platform/auth/member-role.ts";
import type { InvitationView, NewInvitationView } from "../../features/workspaces/invitations/model.ts";
import { present, type CommandContext } from "./context.ts";
import { permission } from "./key.ts";
import { addWorkspaceFlag, inWorkspace, type WorkspaceFlags } from "./member.ts";
import { renderTable } from "./table.ts";

type CreateFlags = WorkspaceFlags & { role: MemberRole; permission?: string[] };

export function addInviteCommands(program: Command, context: CommandContext): void {
  const invite = program.command("invite").description("Invite people to a workspace by a link.");

  const create = invite
    .command("create")
    .description("Create an invitation link. It works once, within 7 days.")
    .argument("<EMAIL>", "Email of the person")
    .addOption(new Option("--role <ROLE>", "Role in the workspace.").choices(memberRoles).default("member"))
    .option("--permission <PERMISSION>", "Permission of the role custom. Repeat the flag for several.", permission);
  addWorkspaceFlag(create).action((email: string, { role, permission: permissions, ...flags }: CreateFlags) =>
    inWorkspace(context, flags, async (api, query) => {
      const input = { email, role: permissions ? "custom" : role, ...(permissions && { permissions }) };
      const made = await api.post<NewInvitationView>("/invitations", { ...input, ...query });
      const server = api.connection.url;
      const url = made.url.startsWith("/") && server !== null ? server + made.url : made.url;
      const hint = url.startsWith("/")
        ? "No server is running on this data directory. Start it, and prefix the link with its address."
        : `${made.isMailed ? `Mailed to ${made.email}; you can also pass the link on.` : `Pass this link on to ${made.email}.`} It works once, until ${made.expiresAt}.`;
      await present(context, { ...made, url }, `${url}\n\n${hint}`);
    }),
  );

  const list = invite.command("list").description("List open invitations, newest first.");
  addWorkspaceFlag(list).action((flags: WorkspaceFlags) =>
    inWorkspace(context, flags, async (api, query) => {
      const invitations = await api.getAll<InvitationView>("/invitations", "invitations", query);
      await present(context, { invitations }, invitationsTable(invitations));
    }),
  );

  const revoke = invite
    .command("revoke")
    .description("Revoke an invitation, so that its link no longer works.")
    .argument("<INVITATION_ID>", "ID, as shown by `outreachd invite list`");
  addWorkspaceFlag(revoke).action((id: string, flags: WorkspaceFlags) =>
    inWorkspace(context, flags, async (api, query) => {
      await api.delete(`/invitations/${encodeURIComponent(id)}`, query);
      await present(context, { revoked: id }, `Revoked the invitation ${id}.`);
    }),
  );
}

function invitationsTable(invitations: readonly InvitationView[]): string {
  if (invitations.length === 0) return "No open invitations. Create one with `outreachd invite create EMAIL`.";
  const rows = invitations.map(({ email, role, permissions, expiresAt, id }) => [
    email,
    permissions === null ? role : `${role} (${permissions.join(" ")})`,
    expiresAt.slice(0, 10),
    id,
  ]);
  return renderTable(["EMAIL", "ROLE", "EXPIRES", "ID"], rows);
}
