import { Value } from "@sinclair/typebox/value";
import type { Static, TSchema } from "@sinclair/typebox";
import type { Clock } from "../../../platform/base/clock.ts";
import { parseJson } from "../../../platform/base/json.ts";
import type { ConnectorOutcome } from "../../../features/network/connector.ts";
import type { HttpClient, HttpOutcome, HttpRequest } from "../../../lib/guarded-http/http-client.ts";
import { busy, Ending, unknownOutcome } from "./ending.ts";

/** Whom an adapter speaks with. */
export type Vendor = {
  /** For sentences: "Unipile", "The receiver of the webhook". */
  name: string;
  http: HttpClient;
  clock: Clock;
  /** What must never stand in a reason. */
  secrets: readonly string[];
};

/** asks: changes nothing, so it may be repeated. acts: may have its effect as soon as a byte of it was sent. */
export type Purpose = "asks" | "acts";

export type VendorAnswer = { status: number; headers: Headers; body: Uint8Array };

/** When a vendor that could not be reached is tried again. */
export const outageMs = 5 * 60_000;
/**
 * For one call. Standard Webhooks gives a receiver 15 to 30 s. It is well below the patience of those who call a
 * connector, so that a silence still ends as what it is: before the action as busy, in the midst of it as unknown.
 */
const timeoutMs = 25_000;
/** A page of a hundred people is some 100 KB. */
const maxBytes = 4 * 2 ** 20;

/** Sends a request and answers whatever status came. Throws the `Ending` of the order when no whole answer came. */
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
  // Every order of the account would end so; it rests until somebody has seen to its settings.
  if (outcome.kind === "refused") return { kind: "signedOut", reason: `${name} can't be called: ${outcome.reason}.` };
  const said = `${name} ${failureOf(outcome)}.`;
  return outcome.sent && purpose === "acts" ? unknownOutcome(said) : busy(clock.now() + outageMs, said);
}

function failureOf(outcome: Exclude<HttpOutcome, { kind: "answered" | "refused" }>): string {
  switch (outcome.kind) {
    case "timedOut":
    case "aborted":
      return outcome.sent ? "did not answer in time" : "could not be reached in time";
    case "tooLarge":
      return "answered with more than anybody would read";
    case "unreachable":
      return outcome.sent ? "broke the connection off before it had answered" : "could not be reached";
  }
}

/** The answer as JSON; undefined when it is empty or something else. */
export function jsonOf({ body }: VendorAnswer): unknown {
  try {
    return parseJson(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** `value` when it has the shape of `schema`, else null. Vendors may add fields; what an adapter reads must be there. */
export function shaped<T extends TSchema>(schema: T, value: unknown): Static<T> | null {
  return Value.Check(schema, value) ? value : null;
}
