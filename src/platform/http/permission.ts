import { invalid, notFound } from "../base/errors.ts";
import { denied, hasPermission, type Caller } from "../auth/caller.ts";
import type { Permission } from "../auth/key-model.ts";

/** What a route asks for, and so what its handler gets. */
export type Access = {
  /** One of them is enough. Null: any valid key. */
  permission: Permission | readonly Permission[] | null;
  /**
   * user: it acts for a user; a global key names one (`userId` in query or body). ownKey: only the user's own key will
   * do; a global key is told the route for it. caller: it acts for nobody in particular.
   */
  actsFor: "user" | "ownKey" | "caller";
  /** With ownKey: the route that serves global keys. */
  availableRoute?: string;
};

/** A refusal that the specification wants in a shape of its own: `error` is a sentence and there is no code. */
export class WrongKeyKind extends Error {
  readonly availableRoute: string;

  constructor(availableRoute: string) {
    super("This route needs a user-specific API key. With a global key, use the route named in availableRoute.");
    this.availableRoute = availableRoute;
  }
}

/** Throws PERMISSION_DENIED with `permissionHelp`, or `WrongKeyKind`, unless the caller may use the route. */
export function requireAccess(caller: Caller, access: Access): void {
  const wanted = access.permission === null ? [] : [access.permission].flat();
  if (wanted.length > 0 && !wanted.some((permission) => hasPermission(caller, permission))) {
    throw denied(
      caller,
      wanted[0]!,
      `This needs the permission ${wanted.join(" or ")}, which this API key does not have.`,
    );
  }
  if (access.actsFor === "ownKey" && caller.userId === null) throw new WrongKeyKind(access.availableRoute ?? "");
}

/** Whom the request acts for: the key's user, or the one that a global key names. */
export async function actingUser(
  caller: Caller,
  named: unknown,
  userExists: (id: string) => Promise<boolean>,
): Promise<string> {
  if (caller.userId !== null) {
    if (named === undefined || named === caller.userId) return caller.userId;
    throw denied(caller, "*", "A user-specific key acts for its own user only. Leave userId out, or use a global key.");
  }
  if (typeof named !== "string" || named === "")
    throw invalid([
      { path: "userId", message: "A global key acts for a user: name it by userId in the query or the body." },
    ]);
  if (!(await userExists(named))) throw notFound("user", named);
  return named;
}
