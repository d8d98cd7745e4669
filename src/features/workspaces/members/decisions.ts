import type { UserId } from "../../../platform/base/ids.ts";
import { mayManage, type ManageObstacle, type Manager } from "../../../platform/auth/may-manage.ts";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { MemberRole, RoleGrant } from "../../../platform/auth/member-role.ts";
import type { Member } from "../../../platform/auth/workspace-model.ts";

/** What a request asks to change. Absent: as it was. */
export type RoleChange = { role?: MemberRole; permissions?: Permission[]; isActive?: boolean };

/** Why a member is not changed. `lastOwner`: the workspace would be left without an active owner. */
export type MemberObstacle = ManageObstacle | { kind: "lastOwner" };

/** Why a role and a list of permissions do not belong together; null if they do. */
export function roleProblem({ role, permissions }: RoleGrant): string | null {
  if (role === "custom") return permissions === null || permissions.length === 0 ? "missing" : null;
  return permissions === null ? null : "unexpected";
}

/** The member as they would be. Permissions belong to the role custom only, so another role removes them. */
export function changedMember(member: Member, { role, permissions, isActive }: RoleChange, now: number): Member {
  const newRole = role ?? member.role;
  const kept = newRole === "custom" ? member.permissions : null;
  return {
    ...member,
    role: newRole,
    permissions: permissions ?? kept,
    isActive: isActive ?? member.isActive,
    updatedAt: now,
  };
}

/**
 * Why `manager` must not turn `before` into `after` (null: remove them); null: they may. Everyone may leave. A workspace keeps
 * at least one of its `activeOwners`.
 */
export function memberObstacle(
  manager: Manager & { userId: UserId | null },
  { before, after, activeOwners }: { before: Member; after: Member | null; activeOwners: number },
): MemberObstacle | null {
  const isLeaving = after === null && manager.userId === before.userId;
  const obstacle = isLeaving ? null : mayManage(manager, { before, after: isOnlyLess(before, after) ? null : after });
  if (obstacle !== null) return obstacle;
  const losesOwner = isActiveOwner(before) && (after === null || !isActiveOwner(after));
  return losesOwner && activeOwners <= 1 ? { kind: "lastOwner" } : null;
}

/** Deactivating gives no permissions, so a manager need not have those of the member. */
function isOnlyLess(before: Member, after: Member | null): boolean {
  return after !== null && !after.isActive && after.role === before.role && after.permissions === before.permissions;
}

function isActiveOwner({ role, isActive }: Member): boolean {
  return role === "owner" && isActive;
}
