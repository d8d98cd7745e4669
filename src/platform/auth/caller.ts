import { ApiError, invalid, notFound } from "../base/errors.ts";
import type { Origin } from "./audit/model.ts";
import type { Grant, Permission } from "./key-model.ts";
import type { Role } from "./user-model.ts";

/** Who sends a request: an API key and, for a user-specific key, its user. */
export type Caller = {
  keyId: string;
  keyName: string;
  /** Hash of the key's secret; null for the local key. */
  keyHash: string | null;
  /** Null for a global key, which acts for the user named in each request. */
  userId: string | null;
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

/** Who may use a route. */
export type Access = {
  /** One of these is enough. Null: any valid key. */
  permission: Permission | readonly Permission[] | null;
  /**
   * user: the user of the key, or the one that a global key names in `userId`. ownKey: the same, but global keys are
   * refused and pointed to `availableRoute`. caller: no user.
   */
  actsFor: "user" | "ownKey" | "caller";
  availableRoute?: string;
};

export function hasPermission(caller: Pick<Caller, "permissions">, permission: Permission): boolean {
  return caller.permissions.includes(permission) || caller.permissions.includes("*");
}

/** Throws PERMISSION_DENIED with `permissionHelp`, or `WrongKeyKind`, unless the caller has access. */
export function requireAccess(caller: Caller, { permission, actsFor, availableRoute = "" }: Access): void {
  const accepted = permission === null ? [] : [permission].flat();
  if (accepted.length > 0 && !accepted.some((name) => hasPermission(caller, name)))
    throw denied(caller, accepted[0]!, `This API key does not have the permission ${accepted.join(" or ")}.`);
  if (actsFor === "ownKey" && caller.userId === null) throw new WrongKeyKind(availableRoute);
}

/** User that a request acts for: the user of the key, or `named` for a global key. */
export async function actingUser(
  caller: Caller,
  named: unknown,
  userExists: (id: string) => Promise<boolean>,
): Promise<string> {
  if (caller.userId !== null) {
    if (named === undefined || named === caller.userId) return caller.userId;
    throw denied(caller, "*", "A user-specific key can act only for its own user. Omit userId, or use a global key.");
  }
  if (typeof named !== "string" || named === "")
    throw invalid([
      { path: "userId", message: "User to act for. Required with a global key, in the query or the body." },
    ]);
  if (!(await userExists(named))) throw notFound("user", named);
  return named;
}

/** An error whose body the specification defines separately: `error` is a sentence, and there is no code. */
export class WrongKeyKind extends Error {
  readonly availableRoute: string;

  constructor(availableRoute: string) {
    super("This route requires a user-specific API key. With a global key, use the route in availableRoute.");
    this.availableRoute = availableRoute;
  }
}

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
  return caller.role === "admin" || caller.userId === null;
}

/** Throws PERMISSION_DENIED unless the caller `isAdmin`. */
export function requireAdmin(caller: Caller): void {
  if (isAdmin(caller)) return;
  throw denied(caller, "*", "Only admins can do this. Ask an admin of your team.");
}
