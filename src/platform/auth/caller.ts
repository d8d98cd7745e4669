import { ApiError } from "../base/errors.ts";
import type { Origin } from "./audit/model.ts";
import type { Grant } from "./key-model.ts";
import type { Role } from "./user-model.ts";
import type { WorkspaceId } from "../base/ids.ts";

/** Who sends a request: an API key and, for a user-specific key, its user. */
export type Caller = {
  keyId: string;
  keyName: string;
  /** Hash of the key's secret; null for the local key. */
  keyHash: string | null;
  /** Null for a global key, which acts for the user named in each request. */
  workspaceId: WorkspaceId | null;
  /** Null for a global key. */
  role: Role | null;
  permissions: readonly Grant[];
  /** Network actions that this key schedules wait until another key approves them. */
  requiresApproval: boolean;
  /** Null: never. */
  expiresAt: number | null;
  /** True for the local key, which exists only while this process runs and can be read only on this machine. */
  isLocal: boolean;
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
