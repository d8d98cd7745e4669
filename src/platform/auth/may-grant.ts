import type { Grant, KeyRestrictions, Permission } from "./key-model.ts";
import { coversNetworks } from "../../lib/ip-networks/ip-networks.ts";
import { isWithinLimits } from "./key-restrictions.ts";

/** What a key may do. */
export type KeyLimits = {
  id: string;
  permissions: readonly Grant[];
  requiresApproval: boolean;
  /** Null: never. */
  expiresAt: number | null;
  /** Whether its credits per month are limited. */
  hasBudget: boolean;
} & KeyRestrictions;

/** Why a key must not be granted. */
export type Obstacle =
  | { kind: "permissions"; lacking: Grant[] }
  | { kind: "approval" }
  | { kind: "expiry"; expiresAt: number }
  | { kind: "budget"; spending: Permission[] }
  | { kind: "networks" }
  | { kind: "rateLimits" };

/** Permissions that allow spending credits. */
export const spendingPermissions: readonly Permission[] = ["leads:enrich", "prospecting:search"];

/**
 * Whether the holder of the key `maker` may create or change `key`, or receive its secret: never with more rights than
 * `maker` has. Null: yes. Anyone who can read the secret of a key has its rights, so this is checked when keys are created,
 * changed, regenerated, used for a sign-in link, and enabled again.
 */
export function mayGrant(maker: KeyLimits, key: KeyLimits): Obstacle | null {
  const lacking = maker.permissions.includes("*")
    ? []
    : key.permissions.filter((permission) => !maker.permissions.includes(permission));
  if (lacking.length > 0) return { kind: "permissions", lacking };
  if (maker.requiresApproval && !key.requiresApproval) return { kind: "approval" };
  if (maker.expiresAt !== null && (key.expiresAt === null || key.expiresAt > maker.expiresAt))
    return { kind: "expiry", expiresAt: maker.expiresAt };
  const spending = spendingPermissions.filter((one) => key.permissions.includes(one) || key.permissions.includes("*"));
  // Even with a budget, the new key would add to what the maker may spend.
  if (maker.hasBudget && key.id !== maker.id && spending.length > 0) return { kind: "budget", spending };
  const { allowedNetworks, rateLimits } = maker;
  if (allowedNetworks !== null && !(key.allowedNetworks && coversNetworks(allowedNetworks, key.allowedNetworks)))
    return { kind: "networks" };
  // As with a budget, the requests of another key would come on top.
  if (rateLimits !== null && (key.id !== maker.id || !isWithinLimits(key.rateLimits, rateLimits)))
    return { kind: "rateLimits" };
  return null;
}

/** The expiry of a new key: `wanted`, but never after the expiry of its maker. Null: never. */
export function boundedExpiry(maker: Pick<KeyLimits, "expiresAt">, wanted: number | null): number | null {
  if (maker.expiresAt === null) return wanted;
  return wanted === null ? maker.expiresAt : Math.min(wanted, maker.expiresAt);
}
