import type { Caller } from "../../../platform/auth/caller.ts";
import { permissions as allPermissions } from "../../../platform/auth/key-model.ts";
import { permissionsOf, type RoleGrant } from "../../../platform/auth/member-role.ts";

type Signed = Pick<Caller, "sessionId" | "permissions" | "requiresApproval" | "expiresAt">;

/**
 * Why a session must not be switched to another workspace, where it gets a key without restrictions; null: it may. Nobody
 * obtains more by switching than with the key they signed in with: it has everything that their role includes.
 */
export function switchProblem(
  { sessionId, permissions, requiresApproval, expiresAt }: Signed,
  { role, hasBudget }: { role: RoleGrant; hasBudget: boolean },
): string | null {
  if (sessionId === undefined) return "Only sessions are switched. With an API key, use a key of the other workspace.";
  const granted = permissionsOf(role);
  const wanted = granted.includes("*") ? allPermissions : granted;
  const isWhole = permissions.includes("*") || wanted.every((permission) => permissions.includes(permission));
  if (isWhole && !requiresApproval && expiresAt === null && !hasBudget) return null;
  return "You signed in with a restricted API key, which is for one workspace. Sign in with a key of the other workspace.";
}
