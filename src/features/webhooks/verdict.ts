import type { PostOutcome } from "./connector.ts";
import type { DeliveryState, Endpoint } from "./model.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long after each attempt the next one follows (Standard Webhooks, "Deliverability and reliability"). */
export const retryDelays = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
export const maxTries = retryDelays.length + 1;

/** So many failures in a row may be chance; from then on an endpoint with many deliveries is asked less and less often. */
const failuresBeforeBackoff = 3;
const maxBackoffMs = 5 * minuteMs;
/** What a receiver that asks for less gets, when it does not say how much less. */
const minThrottleMs = 10 * secondMs;
/** Nobody means to wait longer; a wrong clock or unit does. */
const maxRetryAfterMs = dayMs;

export type Verdict = {
  state: DeliveryState;
  nextAt: number | null;
  /** What went wrong; null: it was delivered. */
  error: string | null;
  backoffUntil: number;
  disableReason: string | null;
};

export type AttemptResult = {
  outcome: PostOutcome;
  /** Attempts of this delivery, with this one. */
  tries: number;
  /** Somebody asked for it, beside the queue: how often the queue is tried does not depend on it. */
  isOnDemand: boolean;
  endpoint: Pick<Endpoint, "failures" | "failingSince">;
  /** Whoever fails for so long is turned off; 0: nobody is. */
  disableAfterMs: number;
  now: number;
  /** From 0 up to 1: so that what failed together does not come back together. */
  random: number;
};

/** What an attempt means for its delivery and its endpoint. */
export function verdictOf({
  outcome,
  tries,
  isOnDemand,
  endpoint,
  disableAfterMs,
  now,
  random,
}: AttemptResult): Verdict {
  const error = errorOf(outcome);
  if (error === null) return { state: "delivered", nextAt: null, error, backoffUntil: 0, disableReason: null };
  const isGone = outcome.kind === "answered" && outcome.status === 410;
  const failingMs = now - (endpoint.failingSince ?? now);
  const disableReason = isGone
    ? "The receiver answered 410: it wants nothing any more."
    : disableAfterMs > 0 && failingMs >= disableAfterMs
      ? `Every attempt has failed for ${Math.floor(failingMs / dayMs)} days. The last one: ${error}`
      : null;
  const retryAfterAt = retryAtOf(outcome, now) ?? 0;
  const delay = retryDelays[tries - 1];
  const nextAt = delay === undefined || isGone ? null : Math.max(now + withJitter(delay, random), retryAfterAt);
  const backoffUntil = Math.max(now + backoffMs(outcome, isOnDemand ? 1 : endpoint.failures + 1, random), retryAfterAt);
  return { state: nextAt === null ? "failed" : "pending", nextAt, error, backoffUntil, disableReason };
}

function errorOf(outcome: PostOutcome): string | null {
  if (outcome.kind === "failed") return outcome.reason;
  const { status } = outcome;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `It answered ${status}: redirects are not followed, so set the final address.`;
  return `It answered ${status}.`;
}

function retryAtOf(outcome: PostOutcome, now: number): number | null {
  if (outcome.kind === "failed" || outcome.retryAt === null) return null;
  return Math.min(outcome.retryAt, now + maxRetryAfterMs);
}

function backoffMs(outcome: PostOutcome, failures: number, random: number): number {
  const isThrottled = outcome.kind === "answered" && [429, 502, 503, 504].includes(outcome.status);
  const minMs = isThrottled ? minThrottleMs : 0;
  if (failures < failuresBeforeBackoff) return minMs;
  const growing = Math.min(secondMs * 2 ** Math.min(failures - failuresBeforeBackoff, 20), maxBackoffMs);
  return Math.max(withJitter(growing, random), minMs);
}

/** Up to a fifth longer. */
function withJitter(ms: number, random: number): number {
  return Math.round(ms * (1 + random / 5));
}
