import type { SearchFilters } from "../../../features/prospecting/model.ts";
import type { LiveOutcome } from "../../../features/prospecting/provider.ts";
import type { Clock } from "../../../platform/base/clock.ts";
import type { HttpRequest } from "../../../lib/guarded-http/http-client.ts";
import { askVendor, usualRefusal, type VendorWorld } from "../enrichment/vendor.ts";

type Refusal = Exclude<LiveOutcome, { kind: "found" }>;
export type LiveAnswer = { kind: "json"; body: unknown } | LiveOutcome;

/**
 * Sends a request to a vendor. Returns the JSON of a success, or what an error means for a search. `notFound` is the
 * meaning of 404 if that is not an error.
 */
export async function askLive(
  world: VendorWorld,
  request: Omit<HttpRequest, "timeoutMs" | "maxBytes">,
  notFound?: LiveOutcome,
): Promise<LiveAnswer> {
  const answer = await askVendor(world, request);
  if (answer.kind === "json" && answer.status === 404 && notFound !== undefined) return notFound;
  const refusal = answer.kind === "json" ? usualRefusal(answer, world.clock) : answer;
  if (answer.kind === "json" && refusal === null) return { kind: "json", body: answer.body };
  switch (refusal?.kind) {
    case "exhausted":
      return { kind: "refused", message: `${refusal.reason}.` };
    case "paused":
      return { kind: "busy", retryAfterSeconds: secondsUntil(refusal.until, world.clock) };
    case "failed":
      return { kind: "failed", message: `${refusal.reason}.` };
    default:
      return { kind: "refused", message: "The source rejected the search." };
  }
}

function secondsUntil(at: number, clock: Clock): number {
  return Math.max(1, Math.ceil((at - clock.now()) / 1000));
}

const filterNames = {
  "company.revenue": ({ company }: SearchFilters) => company?.revenue && (company.revenue.min ?? company.revenue.max),
  "company.industry": ({ company }: SearchFilters) => company?.industry?.length,
  "person.department": ({ person }: SearchFilters) => person?.department?.length,
  "technology.using": ({ technology }: SearchFilters) => technology?.using?.length,
  "technology.usingAll": ({ technology }: SearchFilters) => technology?.usingAll?.length,
  "technology.notUsing": ({ technology }: SearchFilters) => technology?.notUsing?.length,
} as const;
export type FilterName = keyof typeof filterNames;

/** Rejects filters that a vendor does not support. Silently ignoring them would find the wrong people. */
export function unsupported(filters: SearchFilters, names: readonly FilterName[]): Refusal | null {
  const asked = names.filter((name) => filterNames[name](filters));
  if (asked.length === 0) return null;
  return {
    kind: "refused",
    message: `This source cannot filter by ${asked.join(", ")}. Remove the filter, or search your directory.`,
  };
}

/** Keeps the known fields. */
export function known<T extends Record<string, unknown>>(fields: T): { [F in keyof T]?: NonNullable<T[F]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [F in keyof T]?: NonNullable<T[F]>;
  };
}
