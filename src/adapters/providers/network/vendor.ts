import { Value } from "@sinclair/typebox/value";
import type { Static, TSchema } from "@sinclair/typebox";
import type { Clock } from "../../../platform/base/clock.ts";
import { parseJson } from "../../../platform/base/text.ts";
import type { ConnectorOutcome } from "../../../features/network/connector.ts";
import type { HttpClient, HttpOutcome, HttpRequest } from "../../../lib/guarded-http/http-client.ts";
import { busy, Ending, unknownOutcome } from "./ending.ts";

/** The vendor that an adapter talks to. */
export type Vendor = {
  /** Name for messages: "Unipile", "The receiver of the webhook". */
  name: string;
  http: HttpClient;
  clock: Clock;
  /** Values that must never appear in a reason. */
  secrets: readonly string[];
};

/** asks: changes nothing, so it can be repeated. acts: may have taken effect once a byte of it was sent. */
export type Purpose = "asks" | "acts";

export type VendorAnswer = { status: number; headers: Headers; body: Uint8Array };

/** Delay before an unreachable vendor is tried again. */
export const outageMs = 5 * 60_000;
/**
 * Timeout of a call. Standard Webhooks gives a receiver 15 to 30 s. It is well below the timeout of a connector's
 * callers, so that a missing response still ends correctly: as busy before the action, as unknown during it.
 */
const timeoutMs = 25_000;
/** A page of a hundred people is some 100 KB. */
const maxBytes = 4 * 2 ** 20;

/**
 * Sends a request and returns the response, whatever its status. Throws the `Ending` of the order if there is no
 * complete response.
 */
export async function ask(
  vendor: Vendor,
  purpose: Purpose,
  request: Omit<HttpRequest, "timeoutMs" | "maxBytes">,
): Promise<VendorAnswer> {
  const outcome = await vendor.http.send({ ...request, timeoutMs, maxBytes });
  if (outcome.kind === "answered") return outcome;
  throw new Ending(withoutAnswer(vendor, purpose, outcome));
}

function withoutAnswer(
  { name, clock }: Vendor,
  purpose: Purpose,
  outcome: Exclude<HttpOutcome, { kind: "answered" }>,
): ConnectorOutcome {
  // Every order of the account would end like this, so the account pauses until its settings are fixed.
  if (outcome.kind === "refused") return { kind: "signedOut", reason: `${name} cannot be called: ${outcome.reason}.` };
  const said = `${name} ${failureOf(outcome)}.`;
  return outcome.sent && purpose === "acts" ? unknownOutcome(said) : busy(clock.now() + outageMs, said);
}

function failureOf(outcome: Exclude<HttpOutcome, { kind: "answered" | "refused" }>): string {
  switch (outcome.kind) {
    case "timedOut":
    case "aborted":
      return outcome.sent ? "did not respond in time" : "was unreachable";
    case "tooLarge":
      return "sent a response that is too large";
    case "unreachable":
      return outcome.sent ? "closed the connection before it had responded" : "was unreachable";
  }
}

/** Returns the response as JSON; undefined if it is empty or not JSON. */
export function jsonOf({ body }: VendorAnswer): unknown {
  try {
    return parseJson(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Returns `value` if it matches `schema`, otherwise null. Vendors may add fields; the ones that an adapter reads are
 * required.
 */
export function shaped<T extends TSchema>(schema: T, value: unknown): Static<T> | null {
  return Value.Check(schema, value) ? value : null;
}
