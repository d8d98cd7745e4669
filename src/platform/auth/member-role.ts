import type { KeyLimits } from "./may-grant.ts";
import { permissions, type Grant, type Permission } from "./key-model.ts";

/** What a member may do in a workspace: sets of permissions with names. */
export const memberRoles = ["owner", "admin", "member", "viewer", "custom"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** A membership as far as it limits what a key may do. `permissions` is null unless the role is custom. */
export type RoleGrant = { role: MemberRole; permissions: readonly Permission[] | null };

/** Reserved for owners and admins: they concern the whole workspace or the whole server. */
const managing: readonly Permission[] = [
  "audit:read", "backups:read", "backups:write", "metrics:read", "privacy:write", "webhooks:write",
]; // prettier-ignore

const ofMember = permissions.filter((permission) => !managing.includes(permission));
/** Members edit their profile, join, and leave whatever their role is; whom else they manage, the role decides. */
const ofEveryone: readonly Permission[] = ["users:write"];
const ofViewer = permissions.filter(
  (permission) => (permission.endsWith(":read") && !managing.includes(permission)) || ofEveryone.includes(permission),
);

/** The permissions of a role. Owners and admins have all; only owners manage owners, which `mayManage` decides. */
export function permissionsOf({ role, permissions: custom }: RoleGrant): readonly Grant[] {
  switch (role) {
    case "owner":
    case "admin":
      return ["*"];
    case "member":
      return ofMember;
    case "viewer":
      return ofViewer;
    case "custom":
      return [...new Set([...(custom ?? []), ...ofEveryone])];
  }
}

/** What a key with these permissions may do in the hands of a member with this role: never more than either. */
export function effectivePermissions(key: readonly Grant[], role: RoleGrant): readonly Grant[] {
  const granted = permissionsOf(role);
  if (granted.includes("*")) return key;
  return key.includes("*") ? granted : key.filter((permission) => granted.includes(permission));
}

/** The limits of a key that has everything a role grants, and no others. */
export function wholeKey(role: RoleGrant): KeyLimits {
  const granted = permissionsOf(role);
  const whole = granted.includes("*") ? permissions : granted;
  return {
    id: "",
    permissions: whole,
    requiresApproval: false,
    expiresAt: null,
    hasBudget: false,
    rateLimits: null,
    allowedNetworks: null,
  };
}

/** Whether a role manages the members, keys, and settings of a workspace. */
export function managesWorkspace(role: MemberRole | null): boolean {
  return role === "owner" || role === "admin";
}
