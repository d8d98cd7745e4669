import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../../../platform/base/clock.ts";
import { refusals } from "../../../features/network/action-model.ts";
import { type ActionOrder, type ConnectorOutcome } from "../../../features/network/connector.ts";
import { relations } from "../../../features/network/contact-model.ts";
import { busy, refused, sent, unknownOutcome } from "./ending.ts";
import { quote, sentence } from "./quote.ts";
import { notTooFar, retryAfter } from "./retry-after.ts";
import { jsonOf, outageMs, shaped, type Vendor, type VendorAnswer } from "./vendor.ts";

const outcomes = ["completed", "refused", "busy", "limited", "signedOut", "unknown", "accepted"] as const;

/**
 * What a receiver may respond with. Only `outcome` decides: a mistake in another field must not make an action unknown.
 * Timestamps are ISO 8601 or Unix time.
 */
const Report = Type.Object({
  outcome: Type.Unsafe<(typeof outcomes)[number]>(Type.Union(outcomes.map((outcome) => Type.Literal(outcome)))),
  reference: Type.Optional(Type.Unknown()),
  reason: Type.Optional(Type.Unknown()),
  refusal: Type.Optional(Type.Unknown()),
  relation: Type.Optional(Type.Unknown()),
  retryAt: Type.Optional(Type.Unknown()),
  retryAfterSeconds: Type.Optional(Type.Unknown()),
});
type Report = Static<typeof Report>;

/**
 * Returns the outcome of an order for the receiver's response:
 * - 2xx, or 409 (already received), with a report: as reported.
 * - 202, 409 without a report, and any 2xx without content: the receiver reports the outcome over the API.
 * - 410: it accepts no further orders, so the account pauses until a person has checked it.
 * - 429 and 503: not accepted; retried after Retry-After, or after five minutes.
 * - Any other 4xx, and a redirect: refused, with the receiver's message.
 * - 5xx, and 2xx with other content: unknown.
 */
export function outcomeOfReceiver(answer: VendorAnswer, order: ActionOrder, vendor: Vendor): ConnectorOutcome {
  const { status, headers } = answer;
  const { clock, name } = vendor;
  const isTaken = status >= 200 && status < 300;
  const report = isTaken || status === 409 ? shaped(Report, jsonOf(answer)) : null;
  if (report !== null) return asReported(report, order, vendor);
  if (status === 202 || status === 409 || (isTaken && answer.body.byteLength === 0)) return handed(order.jobId);
  if (isTaken)
    return unknownOutcome(
      `${name} responded with ${status} but without a valid report. Expected 202, or JSON with an outcome.`,
    );
  const said = saidIn(answer, vendor);
  if (status === 410) return { kind: "signedOut", reason: sentence(`${name} no longer accepts actions (410)`, said) };
  if (status === 429 || status === 503)
    return busy(
      retryAfter(headers, clock.now()) ?? clock.now() + outageMs,
      sentence(`${name} asks for a pause (${status})`, said),
    );
  if (status >= 300 && status < 400)
    return refused(
      "invalid",
      `${name} responded with a redirect (${status}), which is not followed. Set the final URL.`,
    );
  if (status >= 400 && status < 500)
    return refused("invalid", sentence(`${name} rejected the action (${status})`, said));
  return unknownOutcome(sentence(`${name} failed (${status})`, said));
}

function asReported(report: Report, { jobId }: ActionOrder, { clock, name, secrets }: Vendor): ConnectorOutcome {
  const now = clock.now();
  const retryAt = momentOf(report, now);
  const because = (introduction: string): string => sentence(`${name} ${introduction}`, quote(report.reason, secrets));
  const reference = quote(typeof report.reference === "number" ? `${report.reference}` : report.reference, secrets);
  const relation = relations.find((known) => known === report.relation);
  switch (report.outcome) {
    case "completed":
      return sent(reference, relation);
    case "refused":
      return refused(
        refusals.find((known) => known === report.refusal) ?? "invalid",
        because("reports a refusal"),
        relation,
      );
    case "busy":
      return busy(retryAt ?? now + outageMs, because("asks for a pause"));
    case "limited":
      return { kind: "limited", retryAt, reason: because("reports that the network asks for a slower pace") };
    case "signedOut":
      return { kind: "signedOut", reason: because("reports that the network has signed the account out") };
    case "unknown":
      return unknownOutcome(because("cannot say whether the action was done"));
    case "accepted":
      return handed(reference ?? jobId);
  }
}

function handed(reference: string): ConnectorOutcome {
  return { kind: "delegated", to: "vendor", reference, checkAt: null };
}

function momentOf({ retryAt, retryAfterSeconds }: Report, now: number): number | null {
  const seconds = Number(retryAfterSeconds ?? Number.NaN);
  const named = typeof retryAt === "string" || typeof retryAt === "number" ? parseInstant(retryAt) : null;
  const at = seconds >= 0 ? now + seconds * 1000 : named;
  return at === null ? null : notTooFar(at, now);
}

/** Returns the message in an error body: plain text, or the usual fields of JSON errors. */
function saidIn(answer: VendorAnswer, { secrets }: Vendor): string | null {
  const json = jsonOf(answer);
  if (json === undefined) return quote(Buffer.from(answer.body.subarray(0, 10_000)).toString("utf8"), secrets);
  if (typeof json !== "object" || json === null) return quote(json, secrets);
  const fields: Partial<Record<string, unknown>> = { ...json };
  const { error } = fields;
  const nested = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  for (const said of [fields["reason"], fields["message"], nested, fields["detail"], fields["title"]]) {
    const words = quote(said, secrets);
    if (words !== null) return words;
  }
  return null;
}
