import { isoTime } from "../../platform/base/clock.ts";
import type { EnrichField } from "./fields.ts";
import type { EnrichedData, EnrichmentFailure, EnrichmentResult, LeadToEnrich, Merged, Verdict } from "./model.ts";
import { leadIdOf } from "./people.ts";
import { verificationOf } from "./verdicts.ts";
import { entriesOf, recordConfidence, rounded, sourcesOf } from "./waterfall.ts";

type Settled = { verdict: Verdict | null; creditsUsed: number; fromCache: boolean; unavailable: readonly string[] };

/** A record as a client sees it. */
export function resultOf(
  index: number,
  input: LeadToEnrich,
  merged: Merged,
  { verdict, creditsUsed, fromCache, unavailable }: Settled,
): EnrichmentResult {
  const fields = entriesOf(merged);
  const leadId = leadIdOf(input);
  const byField = <T>(valueOf: (field: Merged[EnrichField] & object) => T): Record<string, T> =>
    Object.fromEntries(fields.map(([field, merge]) => [field, valueOf(merge)]));
  return {
    index,
    input,
    enrichedData: nested(merged),
    confidence: recordConfidence(merged),
    sources: sourcesOf(merged),
    fieldConfidence: byField(({ confidence }) => rounded(confidence)),
    provenance: byField(({ providers, at }) => ({ provider: providers[0] ?? "", at: isoTime(at) })),
    ...(verdict !== null && { emailVerification: verificationOf(verdict) }),
    creditsUsed,
    fromCache,
    ...(unavailable.length > 0 && { unavailable: [...unavailable] }),
    ...(leadId !== null && { leadId }),
  };
}

/** Fields with a dot in their name become objects. */
function nested(merged: Merged): EnrichedData {
  const data: EnrichedData & Record<string, unknown> = {};
  for (const [field, { value }] of entriesOf(merged)) {
    const [outer = "", inner] = field.split(".");
    if (inner === undefined) data[outer] = value;
    else data[outer] = { ...(data[outer] as object | undefined), [inner]: value };
  }
  return data;
}

const failures = {
  NO_MATCH: { message: "No provider knows more about this person.", retryable: false },
  NOT_FOUND: { message: "You have no lead with this id.", retryable: false },
  DO_NOT_CONTACT: {
    message: "This person is on the do-not-contact list, so nothing is told of them.",
    retryable: false,
  },
  ENRICHMENT_CREDITS_EXHAUSTED: {
    message:
      "The credits that were reserved for this request are used up, since this lead has become somebody else than it was when they were counted. Nobody was asked. Send it again.",
    retryable: true,
  },
  PROVIDERS_UNAVAILABLE: {
    message: "A provider that might know this person could not be asked now. Try again in a few minutes.",
    retryable: true,
  },
  NOT_PROCESSED: {
    message:
      "The response was due before this lead was finished. Send it again, or ask for a job with the header Prefer: respond-async.",
    retryable: true,
  },
} as const satisfies Record<EnrichmentFailure["code"], { message: string; retryable: boolean }>;

export function failureOf(index: number, input: LeadToEnrich, code: EnrichmentFailure["code"]): EnrichmentFailure {
  return { index, input, code, ...failures[code] };
}

/** The message where `spent`, some or all of those who were `unavailable`, have reached their monthly caps. */
export function messageOfSpent(spent: readonly string[], unavailable: readonly string[], now: number): string {
  const date = new Date(now);
  const nextMonth = isoTime(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)).slice(0, 10);
  const caps = `The monthly cap of ${spent.join(", ")} is reached: try again from ${nextMonth} (UTC) on, or let an admin of the server raise enrichment-spend-caps.`;
  const others = unavailable.filter((name) => !spent.includes(name));
  return others.length === 0
    ? caps
    : `${caps} Ask ${others.join(", ")}, which could not be asked now, in a few minutes.`;
}
