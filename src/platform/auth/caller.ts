import { ApiError } from "../base/errors.ts";
import type { Origin } from "./audit/model.ts";
import type { Grant, KeyRestrictions } from "./key-model.ts";
import type { KeyScope } from "./key-store.ts";
import { managesWorkspace, type MemberRole } from "./member-role.ts";
import type { Role } from "./user-model.ts";
import type { UserId, WorkspaceId } from "../base/ids.ts";

/** Who sends a request: an API key and, unless it is global, the member of a workspace that it belongs to. */
export type Caller = {
  keyId: string;
  keyName: string;
  /** Hash of the key's secret; null for the local key. */
  keyHash: string | null;
  /** Null for a global key, which acts for the workspace named in each request. */
  workspaceId: WorkspaceId | null;
  /** The member that the key belongs to; null for a global key. */
  userId: UserId | null;
  /** In the installation; null for a global key. */
  role: Role | null;
  /** In the workspace; null for a global key. */
  memberRole: MemberRole | null;
  /** Those of the key that the role in the workspace includes. */
  permissions: readonly Grant[];
  /** Network actions that this key schedules wait until another key approves them. */
  requiresApproval: boolean;
  /** Null: never. */
  expiresAt: number | null;
  /** True for the local key, which exists only while this process runs and can be read only on this machine. */
  isLocal: boolean;
  /** Absent for most keys, which have none. */
  restrictions?: KeyRestrictions;
  /** The browser session that authenticates the request; absent for API keys. */
  sessionId?: string;
  /** Where the request came from, computed on demand; absent for background work. */
  origin?: () => Origin;
};

/** The error for a missing permission. `required` is "*" if only an admin or a global key has access. */
export function denied(
  { permissions }: Pick<Caller, "permissions">,
  required: Grant,
  message: string,
  details?: Record<string, unknown>,
): ApiError {
  const permissionHelp = { required, available: permissions };
  return new ApiError("PERMISSION_DENIED", { message, permissionHelp, ...(details && { details }) });
}

/** Throws PERMISSION_DENIED for a key that can only propose actions. `what`: what it attempted, such as "approve actions". */
export function requireApprover(caller: Pick<Caller, "requiresApproval" | "permissions">, what: string): void {
  if (!caller.requiresApproval) return;
  throw denied(caller, "*", `This API key can only propose actions. Use another key to ${what}.`);
}

/** Admins and global keys manage users and other users' keys. */
export function isAdmin(caller: Caller): boolean {
  return caller.role === "admin" || caller.workspaceId === null;
}

/** Throws PERMISSION_DENIED unless the caller `isAdmin`. */
export function requireAdmin(caller: Caller): void {
  if (isAdmin(caller)) return;
  throw denied(caller, "*", "Only admins can do this. Ask an admin of your team.");
}

/**
 * The keys that a caller may see and revoke: all for admins of the installation and global keys, those of the workspace
 * for its owners and admins, and for other members their own.
 */
export function keyScopeOf(caller: Caller): KeyScope {
  const { workspaceId, userId, memberRole } = caller;
  if (isAdmin(caller) || workspaceId === null || userId === null) return "all";
  return managesWorkspace(memberRole) ? { workspaceId } : { workspaceId, userId };
}
