import { includesAddress, parseNetwork } from "../../lib/ip-networks/ip-networks.ts";
import { ApiError, invalid, type FieldError } from "../base/errors.ts";
import type { KeyRateLimits, KeyRestrictions } from "./key-model.ts";

/** The networks of a key as they are stored. Throws VALIDATION_ERROR for text that is no address and no network. */
export function networksOf(sent: readonly string[]): string[] {
  const errors = sent.flatMap((entry, index): FieldError[] =>
    parseNetwork(entry) === null
      ? [
          {
            path: `allowedNetworks.${index}`,
            message: `"${entry.slice(0, 80)}" is not an address or a network. Examples: 203.0.113.7, 10.0.0.0/8, 2001:db8::/32.`,
          },
        ]
      : [],
  );
  if (errors.length > 0) throw invalid(errors);
  return [...new Set(sent.map((entry) => entry.trim().toLowerCase()))];
}

/** Whether limits leave at most as many requests in each window as others. Null: not limited. */
export function isWithinLimits(limits: KeyRateLimits | null, others: KeyRateLimits): boolean {
  return (["minute", "hour", "day"] as const).every(
    (window) => others[window] === undefined || (limits?.[window] ?? Number.POSITIVE_INFINITY) <= others[window],
  );
}

/** Throws PERMISSION_DENIED unless a key may be used from an address. */
export function requireAddress({ allowedNetworks }: Pick<KeyRestrictions, "allowedNetworks">, address: string): void {
  if (allowedNetworks === null || includesAddress(allowedNetworks, address)) return;
  throw new ApiError("PERMISSION_DENIED", {
    message: `This API key cannot be used from the address ${address}. Add it to the key's allowed networks, or use another key.`,
    permissionHelp: { required: "allowedNetworks", available: [] },
    details: { address },
  });
}
