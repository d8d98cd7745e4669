import { mayGrant, type KeyLimits } from "../../../platform/auth/may-grant.ts";
import { wholeKey, type RoleGrant } from "../../../platform/auth/member-role.ts";

/**
 * Why a session must not be switched to another workspace, where its user has `role` and it gets a key without restrictions;
 * null: it may. Nobody obtains more by switching than the key they signed in with was given, whatever their role is here.
 */
export function switchProblem(key: KeyLimits, role: RoleGrant): string | null {
  if (mayGrant(key, wholeKey(role)) === null) return null;
  return "You signed in with a restricted API key, which is for one workspace. Sign in with a key of the other workspace.";
}
