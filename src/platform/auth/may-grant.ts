import type { Grant, Permission } from "./key-model.ts";

/** What limits a key: what it may do, and how far. */
export type KeyLimits = {
  id: string;
  permissions: readonly Grant[];
  requiresApproval: boolean;
  /** Null: never. */
  expiresAt: number | null;
  /** Whether it may spend only so many credits a month. */
  hasBudget: boolean;
};

/** What stands in the way of a grant. */
export type Obstacle =
  | { kind: "permissions"; lacking: Grant[] }
  | { kind: "approval" }
  | { kind: "expiry"; expiresAt: number }
  | { kind: "budget"; spending: Permission[] };

/** Permissions with which credits are spent. */
export const spendingPermissions: readonly Permission[] = ["leads:enrich", "prospecting:search"];

/**
 * Whether who holds the key `maker` may get at, make or strengthen `key`: never at more than they hold. Null: yes. Who can
 * read the secret of a key holds what the key holds, so this is asked when keys are made, changed, given a new secret,
 * opened by a link, and turned on again.
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
  // A budget of its own would be one more: with several keys the sum would be more than the maker may spend.
  if (maker.hasBudget && key.id !== maker.id && spending.length > 0) return { kind: "budget", spending };
  return null;
}

/** The end of a key that is to last so long from `now`: never behind the end of its maker. */
export function boundedExpiry(maker: Pick<KeyLimits, "expiresAt">, wanted: number | null): number | null {
  if (maker.expiresAt === null) return wanted;
  return wanted === null ? maker.expiresAt : Math.min(wanted, maker.expiresAt);
}
