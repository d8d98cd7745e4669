import type { PostOutcome } from "./connector.ts";
import type { DeliveryState, Endpoint } from "./model.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Delay between consecutive attempts (Standard Webhooks, "Deliverability and reliability"). */
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

/** A few consecutive failures may be chance; beyond that, attempts at an endpoint with many deliveries back off. */
const failuresBeforeBackoff = 3;
const maxBackoffMs = 5 * minuteMs;
/** Minimum backoff for a receiver that throttles requests without a Retry-After header. */
const minThrottleMs = 10 * secondMs;
/** A longer Retry-After is more likely a wrong clock or unit than intent. */
const maxRetryAfterMs = dayMs;

export type Verdict = {
  state: DeliveryState;
  nextAt: number | null;
  /** Reason for the failure; null if the delivery succeeded. */
  error: string | null;
  backoffUntil: number;
  disableReason: string | null;
};

export type AttemptResult = {
  outcome: PostOutcome;
  /** Number of attempts of this delivery, including this one. */
  tries: number;
  /** Requested by a user outside the queue; must not affect the backoff of the queue. */
  isOnDemand: boolean;
  endpoint: Pick<Endpoint, "failures" | "failingSince">;
  /** An endpoint is disabled after failing for this long; 0 never disables endpoints. */
  disableAfterMs: number;
  now: number;
  /** From 0 to 1. Adds jitter, so that deliveries that failed together are not retried together. */
  random: number;
};

/** Decides how an attempt affects its delivery and its endpoint. */
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
    ? "The receiver responded with 410 Gone."
    : disableAfterMs > 0 && failingMs >= disableAfterMs
      ? `Every attempt has failed for ${Math.floor(failingMs / dayMs)} days. Last error: ${error}`
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
    return `The receiver responded with ${status}. Redirects are not followed; set the final URL instead.`;
  return `The receiver responded with ${status}.`;
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

/** Adds up to 20 percent. */
function withJitter(ms: number, random: number): number {
  return Math.round(ms * (1 + random / 5));
}
