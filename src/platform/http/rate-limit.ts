import { isoTime, type Clock } from "../base/clock.ts";
import { ApiError } from "../base/errors.ts";
import type { RateStore, RateWindow } from "./rate-store.ts";
import type { RequestContext } from "./request-context.ts";

export const rateWindows = [
  { name: "minute", ms: 60_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "day", ms: 86_400_000 },
] as const;
export type RateLimits = Record<(typeof rateWindows)[number]["name"], number>;

/**
 * Cost in tenths of a request. The specification requires health checks to be cheap. A click in the dashboard sends
 * several requests, and people are slower than programs.
 */
export const requestCost = { full: 10, health: 1, page: 1, none: 0 } as const;

/** Rate-limit headers of an unlimited caller: a policy without a quota. */
export const unlimitedHeaders = { "ratelimit-policy": '"unlimited"' };

/** Limits the memory for addresses that sent no valid key; when it is exceeded, all of them are forgotten. */
const maxStrangers = 10_000;

export type RateVerdict = {
  isAllowed: boolean;
  /** Quota of the exceeded window; 0 if none is exceeded. */
  limit: number;
  /** Seconds until the same request would be allowed; 0 if it is. */
  retryAfterSeconds: number;
  /** Rate-limit headers for the response. */
  headers: Record<string, string>;
};

/** Adds the rate-limit headers to the response. Throws RATE_LIMIT_EXCEEDED if the request is not allowed. */
export function requireAllowed({ set }: RequestContext, verdict: RateVerdict, clock: Clock): void {
  const { isAllowed, limit, retryAfterSeconds, headers } = verdict;
  Object.assign(set.headers, headers);
  if (isAllowed) return;
  const resetTime = isoTime(clock.now() + retryAfterSeconds * 1000);
  throw new ApiError("RATE_LIMIT_EXCEEDED", {
    message: `Too many requests. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? "second" : "seconds"}.`,
    details: { limit, resetTime },
    retryAfterSeconds,
  });
}

/** Throws `error`, or RATE_LIMIT_EXCEEDED for an address that sent too many invalid credentials. */
export function refuseStranger(context: RequestContext, error: unknown, limiter: RateLimiter, clock: Clock): never {
  const isInvalid = error instanceof ApiError && error.code === "UNAUTHORIZED";
  const cost = isInvalid ? requestCost.full : requestCost.none;
  requireAllowed(context, limiter.takeFromStranger(context.address, cost), clock);
  throw error;
}

type Counter = { startedAt: number; used: number };
type Limit = { name: string; ms: number; quota: number };

/**
 * Counts requests in windows of a minute, an hour, and a day that start with a subject's first request. Counts are in
 * memory; `flush` writes changes, so that a restart does not reset quotas. Refused requests are not counted.
 */
export class RateLimiter {
  readonly #limits: Limit[];
  readonly #clock: Clock;
  readonly #policy: string;
  readonly #members = new Map<string, Counter[]>();
  readonly #strangers = new Map<string, Counter[]>();
  #changed = new Set<string>();

  constructor(limits: RateLimits, clock: Clock) {
    this.#clock = clock;
    this.#limits = rateWindows
      .map(({ name, ms }) => ({ name, ms, quota: limits[name] }))
      .filter(({ quota }) => quota > 0);
    this.#policy = this.#limits.map(({ name, ms, quota }) => `"${name}";q=${quota};w=${ms / 1000}`).join(", ");
  }

  /** Charges a request to a subject whose key was accepted. */
  take(subject: string, cost: number): RateVerdict {
    this.#changed.add(subject);
    return this.#takeFrom(this.#members, subject, cost);
  }

  /** Charges a request to an address that sent no valid key. These counts are never written. */
  takeFromStranger(address: string, cost: number): RateVerdict {
    if (this.#strangers.size >= maxStrangers) this.#strangers.clear();
    return this.#takeFrom(this.#strangers, address, cost);
  }

  /** Loads what `flush` wrote before a restart. */
  async load(store: RateStore): Promise<void> {
    for (const { subject, window, startedAt, used } of await store.load()) {
      const index = this.#limits.findIndex(({ name }) => name === window);
      const counters = this.#countersOf(this.#members, subject);
      if (index >= 0) counters[index] = { startedAt, used };
    }
  }

  async flush(store: RateStore): Promise<void> {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Set();
    try {
      await store.save(
        [...changed].flatMap((subject) => this.#windowsOf(subject)),
        this.#expiredBefore(),
      );
    } catch (error) {
      for (const subject of changed) this.#changed.add(subject);
      throw error;
    }
    this.#forgetIdle();
  }

  #takeFrom(counted: Map<string, Counter[]>, subject: string, cost: number): RateVerdict {
    if (this.#limits.length === 0)
      return { isAllowed: true, limit: 0, retryAfterSeconds: 0, headers: unlimitedHeaders };
    const now = this.#clock.now();
    const counters = this.#countersOf(counted, subject);
    let retryAfterMs = 0;
    let limit = 0;
    for (const [index, { ms, quota }] of this.#limits.entries()) {
      const counter = counters[index]!;
      // A clock that was set back must neither extend a window nor grant a fresh quota.
      counter.startedAt = Math.min(counter.startedAt, now);
      if (now >= counter.startedAt + ms) counters[index] = { startedAt: now, used: 0 };
      else if (counter.used + cost > quota * requestCost.full && counter.startedAt + ms - now > retryAfterMs) {
        retryAfterMs = counter.startedAt + ms - now;
        limit = quota;
      }
    }
    if (retryAfterMs === 0) for (const counter of counters) counter.used += cost;
    const retryAfterSeconds = Math.ceil(retryAfterMs / 1000);
    return { isAllowed: retryAfterMs === 0, limit, retryAfterSeconds, headers: this.#headers(counters, now) };
  }

  #countersOf(counted: Map<string, Counter[]>, subject: string): Counter[] {
    let counters = counted.get(subject);
    if (counters === undefined) {
      counters = this.#limits.map(() => ({ startedAt: 0, used: 0 }));
      counted.set(subject, counters);
    }
    return counters;
  }

  /** The IETF headers describe every window, the older three the window with the least quota left. */
  #headers(counters: Counter[], now: number): Record<string, string> {
    let state = "";
    let tightest = { quota: 0, remaining: Number.POSITIVE_INFINITY, resetAt: 0 };
    for (const [index, { name, ms, quota }] of this.#limits.entries()) {
      const { startedAt, used } = counters[index]!;
      const remaining = Math.max(0, Math.floor(quota - used / requestCost.full));
      const resetAt = startedAt + ms;
      state += `${state && ", "}"${name}";r=${remaining};t=${Math.ceil((resetAt - now) / 1000)}`;
      if (remaining < tightest.remaining) tightest = { quota, remaining, resetAt };
    }
    return {
      "ratelimit-policy": this.#policy,
      ratelimit: state,
      "x-ratelimit-limit": `${tightest.quota}`,
      "x-ratelimit-remaining": `${tightest.remaining}`,
      "x-ratelimit-reset": `${Math.ceil(tightest.resetAt / 1000)}`,
    };
  }

  #windowsOf(subject: string): RateWindow[] {
    const counters = this.#members.get(subject) ?? [];
    return counters.map(({ startedAt, used }, index) => ({
      subject,
      window: this.#limits[index]!.name,
      startedAt,
      used,
    }));
  }

  #expiredBefore(): Record<string, number> {
    const now = this.#clock.now();
    return Object.fromEntries(rateWindows.map(({ name, ms }) => [name, now - ms]));
  }

  #forgetIdle(): void {
    const now = this.#clock.now();
    for (const counted of [this.#members, this.#strangers])
      for (const [subject, counters] of counted)
        if (counters.every(({ startedAt }, index) => startedAt + this.#limits[index]!.ms <= now))
          counted.delete(subject);
  }
}
