import type { Clock } from "../../../platform/base/clock.ts";
import type { EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding, FieldValue } from "../../../features/enrichment/model.ts";
import type { LookUpOutcome } from "../../../features/enrichment/provider.ts";
import { parseJson } from "../../../platform/base/text.ts";
import type { HttpClient, HttpRequest } from "../../../lib/guarded-http/http-client.ts";

/** Dependencies of every vendor adapter. */
export type VendorWorld = { http: HttpClient; clock: Clock };

export type VendorAnswer = { kind: "json"; status: number; headers: Headers; body: unknown };
type Refusal = Exclude<LookUpOutcome, { kind: "found" }>;

/** Longer than any timeout of the guard, which is the effective one. */
const timeoutMs = 300_000;
/** More than any vendor returns for one person. */
const maxBytes = 2 * 2 ** 20;
const defaultPauseMs = 60_000;
const longestPauseMs = 86_400_000;

/** Sends a request and reads the JSON response, whatever its status. Anything else is an outcome. */
export async function askVendor(
  { http }: VendorWorld,
  request: Omit<HttpRequest, "timeoutMs" | "maxBytes">,
): Promise<VendorAnswer | Refusal> {
  const headers = { accept: "application/json", ...request.headers };
  const outcome = await http.send({ ...request, headers, timeoutMs, maxBytes });
  switch (outcome.kind) {
    case "answered":
      break;
    case "timedOut":
    case "aborted":
      return { kind: "failed", reason: "Timed out" };
    case "tooLarge":
      return { kind: "failed", reason: `The response exceeds ${maxBytes} bytes` };
    default:
      return { kind: "failed", reason: outcome.reason };
  }
  const { status, headers: answered, body } = outcome;
  const type = answered.get("content-type") ?? "";
  const text = Buffer.from(body).toString();
  if (status < 300 && !/[/+]json\b/i.test(type))
    return { kind: "failed", reason: `Expected JSON, got ${type || "an unknown content type"}` };
  try {
    return { kind: "json", status, headers: answered, body: text === "" ? null : parseJson(text) };
  } catch {
    // An error page of a proxy still counts by its status.
    if (status >= 300) return { kind: "json", status, headers: answered, body: null };
    return { kind: "failed", reason: "The response is not valid JSON" };
  }
}

/**
 * Interprets an error status as most vendors use it: 401, 402, and 403 mean that our account lacks access, 429 that we
 * send too much, 5xx that the vendor has a fault. Any other error is about this person, so there is no match. Null for
 * a success.
 */
export function usualRefusal({ status, headers }: VendorAnswer, clock: Clock): Refusal | null {
  if (status < 300) return null;
  if (status === 401 || status === 403) return { kind: "exhausted", reason: `The API key was rejected (${status})` };
  if (status === 402) return { kind: "exhausted", reason: "The provider account has no credits left" };
  if (status === 429) return { kind: "paused", until: pauseEnd(headers, clock.now()), reason: "Too many requests" };
  if (status >= 500 || status < 400) return { kind: "failed", reason: `Responded with ${status}` };
  return { kind: "none", spent: 0 };
}

/**
 * Returns the end of a pause requested by headers: Retry-After (RFC 9110, section 10.2.3), or the epoch second of a
 * reset.
 */
export function pauseEnd(headers: Headers, now: number): number {
  const retryAfter = headers.get("retry-after");
  const reset = Number(headers.get("x-ratelimit-reset") ?? Number.NaN);
  const asked =
    retryAfter !== null
      ? /^\d+$/.test(retryAfter)
        ? now + Number(retryAfter) * 1000
        : Date.parse(retryAfter)
      : reset > 1_000_000_000
        ? reset * 1000
        : Number.NaN;
  const until = Number.isNaN(asked) ? now + defaultPauseMs : asked;
  return Math.min(Math.max(until, now + 1000), now + longestPauseMs);
}

/** Returns a finding for each field that has a value. */
export function findingsOf(
  values: Partial<Record<EnrichField, FieldValue | null | undefined>>,
  confidence: number,
): Finding[] {
  return Object.entries(values).flatMap(([field, value]) =>
    value === null || value === undefined || value.length === 0
      ? []
      : [{ field: field as EnrichField, value, confidence }],
  );
}

/** Builds a query without empty values. */
export function queryOf(parameters: Record<string, string | null>): string {
  const known = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return new URLSearchParams(known).toString();
}

/** Vendors omit the scheme of URLs. */
export function asUrl(text: string | null): string | null {
  return text === null || /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/+/, "")}`;
}

/** Waits. Returns false early if the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(true));
    const abort = (): void => {
      cancel();
      resolve(false);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
