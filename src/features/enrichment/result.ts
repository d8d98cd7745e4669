import { isoTime } from "../../platform/base/clock.ts";
import type { EnrichField } from "./fields.ts";
import type { EnrichedData, EnrichmentFailure, EnrichmentResult, LeadToEnrich, Merged, Verdict } from "./model.ts";
import { leadIdOf } from "./people.ts";
import { verificationOf } from "./verdicts.ts";
import { entriesOf, recordConfidence, rounded, sourcesOf } from "./waterfall.ts";

type ResultDetails = {
  verdict: Verdict | null;
  creditsUsed: number;
  fromCache: boolean;
  unavailable: readonly string[];
};

/** The API view of an enrichment result. */
export function resultOf(
  index: number,
  input: LeadToEnrich,
  merged: Merged,
  { verdict, creditsUsed, fromCache, unavailable }: ResultDetails,
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

/** Expands fields with a dot in their name into nested objects. */
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
  NO_MATCH: { message: "No provider has more data about this person.", retryable: false },
  NOT_FOUND: { message: "Lead not found.", retryable: false },
  DO_NOT_CONTACT: {
    message: "This person is on the do-not-contact list, so no data is returned.",
    retryable: false,
  },
  ENRICHMENT_CREDITS_EXHAUSTED: {
    message:
      "The reserved credits are used up because this lead changed while the request was running. No provider was queried. Send the request again.",
    retryable: true,
  },
  PROVIDERS_UNAVAILABLE: {
    message: "A provider that may have data about this person is currently unavailable. Try again in a few minutes.",
    retryable: true,
  },
  NOT_PROCESSED: {
    message:
      "The request timed out before this lead was finished. Send it again, or request a job with the header Prefer: respond-async.",
    retryable: true,
  },
} as const satisfies Record<EnrichmentFailure["code"], { message: string; retryable: boolean }>;

export function failureOf(
  index: number,
  input: LeadToEnrich,
  code: EnrichmentFailure["code"],
  isCompany = false,
): EnrichmentFailure {
  const { message, retryable } = failures[code];
  return {
    index,
    input,
    code,
    message: isCompany ? message.replace("this person", "this company") : message,
    retryable,
  };
}

/** Error message if some or all `unavailable` providers are `spent`, that is, have reached their monthly cap. */
export function spendCapMessage(spent: readonly string[], unavailable: readonly string[], now: number): string {
  const date = new Date(now);
  const nextMonth = isoTime(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)).slice(0, 10);
  const caps = `The monthly spend cap of ${spent.join(", ")} is reached. Try again on or after ${nextMonth} (UTC), or ask a server admin to raise enrichment-spend-caps.`;
  const others = unavailable.filter((name) => !spent.includes(name));
  return others.length === 0 ? caps : `${caps} ${others.join(", ")} could not be reached. Try again in a few minutes.`;
}
