import type { Origin } from "./audit/model.ts";
import type { Role } from "./user-model.ts";
import { ApiError } from "../base/errors.ts";
import type { Grant, Permission } from "./key-model.ts";

/** Who sends a request: the key, and for a user-specific key its user. */
export type Caller = {
  keyId: string;
  keyName: string;
  /** Null for a global key: it acts for the user that a request names. */
  userId: string | null;
  /** Null for a global key. */
  role: Role | null;
  permissions: readonly Grant[];
  /** What it schedules on the network waits until another key approves it. */
  requiresApproval: boolean;
  /** Null: never. */
  expiresAt: number | null;
  /** True for the key of this run of the server, which only its own machine can read. */
  isLocal: boolean;
  /** Where this request came from, worked out when somebody asks; absent for what is no request. */
  origin?: () => Origin;
};

export function hasPermission(caller: Pick<Caller, "permissions">, permission: Permission): boolean {
  return caller.permissions.includes(permission) || caller.permissions.includes("*");
}

/** The refusal of what a key may not do. `required`: one permission; "*" where only an admin or a global key will do. */
export function denied(
  { permissions }: Pick<Caller, "permissions">,
  required: Grant,
  message: string,
  details?: Record<string, unknown>,
): ApiError {
  const permissionHelp = { required, available: permissions };
  return new ApiError("PERMISSION_DENIED", { message, permissionHelp, ...(details && { details }) });
}

/** PERMISSION_DENIED for a key that may only propose: `what`, as in "approve actions", would let actions go unapproved. */
export function requireApprover(caller: Pick<Caller, "requiresApproval" | "permissions">, what: string): void {
  if (!caller.requiresApproval) return;
  throw denied(caller, "*", `This API key may only propose actions, so it can't ${what}. Do that with another key.`);
}

/** An admin, or somebody with a global key: may manage users and other people's keys. */
export function isAdmin(caller: Caller): boolean {
  return caller.role === "admin" || caller.userId === null;
}

/** Throws PERMISSION_DENIED unless the caller `isAdmin`. */
export function requireAdmin(caller: Caller): void {
  if (isAdmin(caller)) return;
  throw denied(caller, "*", "Only an admin may do that. Ask an admin of your team.");
}
