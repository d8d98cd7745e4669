import { includesAddress } from "../../lib/ip-networks/ip-networks.ts";
import type { KeyRateLimits } from "../../platform/auth/key-model.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { wholeNumberFlag } from "./flags.ts";

const none = "none";
const number = wholeNumberFlag(1, 1_000_000_000);
const windows = { perMinute: "minute", perHour: "hour", perDay: "day" } as const;

/** Flags for the rate limits of a key. */
export type LimitFlags = { [K in keyof typeof windows]?: number | typeof none };

/** Parses a limit, or `none`. */
export function limitFlag(value: string): number | typeof none {
  return value === none ? none : number(value);
}

/**
 * The limits of a key after the flags: those of windows without a flag stay. Null: no limits. Undefined: nothing to
 * change.
 */
export async function limitsFrom(
  flags: LimitFlags,
  current: () => Promise<KeyRateLimits | null>,
): Promise<KeyRateLimits | null | undefined> {
  const sent = Object.entries(windows).flatMap(([flag, window]) => {
    const limit = flags[flag as keyof LimitFlags];
    return limit === undefined ? [] : [[window, limit] as const];
  });
  if (sent.length === 0) return undefined;
  const isComplete = sent.length === Object.keys(windows).length;
  const limits: { [window: string]: number | typeof none } = {
    ...(isComplete ? null : await current()),
    ...Object.fromEntries(sent),
  };
  const left = Object.entries(limits).filter(([, limit]) => limit !== none);
  return left.length === 0 ? null : Object.fromEntries(left);
}

/** The networks that `--allow` names; null for `none`. */
export function networksFrom(allow: string[] | undefined): string[] | null | undefined {
  if (allow === undefined || !allow.includes(none)) return allow;
  if (allow.length === 1) return null;
  throw new CommandError(exitCodes.usage, "--allow none cannot be combined with addresses and networks.");
}

/** Limits as in `20/minute 500/hour`. */
export function limitsText(limits: KeyRateLimits | null | undefined): string {
  return (
    Object.entries(limits ?? {})
      .map(([window, limit]) => `${limit}/${window}`)
      .join(" ") || none
  );
}

export function networksText(networks: readonly string[] | null | undefined): string {
  return networks?.join(" ") ?? "any";
}

/** False if requests to a loopback address come from an address that the networks do not include. */
export function canReach(url: string, networks: readonly string[] | null | undefined): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  if (!networks || !isLoopback(host)) return true;
  return includesAddress(networks, host === "localhost" ? "127.0.0.1" : host);
}

const isLoopback = (host: string) => host === "localhost" || host === "::1" || host.startsWith("127.");
