import type { Caller } from "./caller.ts";
import { permissions, type Grant } from "./key-model.ts";
import { managesWorkspace, permissionsOf, type MemberRole, type RoleGrant } from "./member-role.ts";

/** Who changes the members of a workspace. `role` is null for a global key, which manages every workspace. */
export type Manager = { role: MemberRole | null; permissions: readonly Grant[] };

export function managerOf({ memberRole, permissions }: Pick<Caller, "memberRole" | "permissions">): Manager {
  return { role: memberRole, permissions };
}

/** A membership before and after a change. `before` is null for an invitation, `after` for a removal. */
export type MemberChange = { before: RoleGrant | null; after: RoleGrant | null };

/** Why a membership must not be changed. */
export type ManageObstacle = { kind: "role" } | { kind: "owner" } | { kind: "permissions"; lacking: Grant[] };

/**
 * Whether `manager` may make this change: only owners and admins manage members, only owners manage owners, and no one
 * gives more permissions than their own. Null: yes.
 */
export function mayManage(manager: Manager, { before, after }: MemberChange): ManageObstacle | null {
  if (manager.role !== null && !managesWorkspace(manager.role)) return { kind: "role" };
  const concernsOwner = before?.role === "owner" || after?.role === "owner";
  if (concernsOwner && manager.role === "admin") return { kind: "owner" };
  const lacking = after === null ? [] : lackingPermissions(manager, after);
  return lacking.length > 0 ? { kind: "permissions", lacking } : null;
}

/** What a role grants beyond the permissions of the manager's key, which can be fewer than those of their role. */
function lackingPermissions({ permissions: own }: Manager, granted: RoleGrant): Grant[] {
  if (own.includes("*")) return [];
  const given = permissionsOf(granted);
  return (given.includes("*") ? permissions : given).filter((permission) => !own.includes(permission));
}
