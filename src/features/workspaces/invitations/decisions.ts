import { mayManage } from "../../../platform/auth/may-manage.ts";
import { permissionsOf } from "../../../platform/auth/member-role.ts";
import { maxMembers } from "../members/model.ts";
import type { InvitationFacts, InvitingFacts } from "./store.ts";

export const maxInvitations = 200;

/** Why nobody else is invited now; null: they are. */
export function invitingProblem({ isMember, members, openInvitations }: InvitingFacts): string | null {
  if (isMember) return "This person is already a member of the workspace.";
  if (members >= maxMembers) return `A workspace has at most ${maxMembers} members. Remove one first.`;
  if (openInvitations >= maxInvitations)
    return `A workspace has at most ${maxInvitations} open invitations. Revoke some, or wait until they are accepted.`;
  return null;
}

/**
 * Whether an invitation still counts. It does not once it has expired, or once the member who sent it could not send it any
 * more: otherwise, someone who leaves could keep a way back.
 */
export function isOpen({ invitation, inviter }: Pick<InvitationFacts, "invitation" | "inviter">, now: number): boolean {
  if (invitation.expiresAt <= now) return false;
  if (invitation.invitedBy === null) return true;
  if (inviter === null || !inviter.member.isActive || !inviter.user.isActive) return false;
  const manager = { role: inviter.member.role, permissions: permissionsOf(inviter.member) };
  return mayManage(manager, { before: null, after: invitation }) === null;
}
