// Counts requests in windows, and decides by the counts.

/** A window starts with a subject's first request, and the next one with the first request after its end. */
export const rateWindows = [
  { name: "minute", ms: 60_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "day", ms: 86_400_000 },
] as const;
export type WindowName = (typeof rateWindows)[number]["name"];

/** The limit of a window, in the same unit as the cost of a request. */
export type WindowLimit = { name: WindowName; ms: number; quota: number };

/** What a subject has used in the window that started at `startedAt`. */
export type Counter = { startedAt: number; used: number };

export type Taken = {
  isAllowed: boolean;
  /** After the request, in the order of the limits. */
  counters: Counter[];
};

/** Counts requests of subjects, such as users. */
export type RateCounters = {
  /**
   * Charges `cost` to all windows of `limits`, or to none if one of them would exceed its quota. A subject always has the
   * same windows.
   */
  take(subject: string, cost: number, limits: readonly WindowLimit[], now: number): Taken | Promise<Taken>;
  /** Writes what is counted in memory only, and deletes windows that are over. */
  flush(now: number): Promise<void>;
};

/** One window of one subject, as it is stored. */
export type StoredWindow = Counter & { subject: string; window: string };

/** Where `MemoryCounters` survive a restart. */
export type WindowStore = {
  load(): StoredWindow[];
  /** Replaces these windows, and deletes windows that started before the `expiredBefore` of their name. */
  save(windows: StoredWindow[], expiredBefore: Record<string, number>): Promise<void>;
};

/** For counts that a restart may forget. */
export const noStore: WindowStore = { load: () => [], save: async () => {} };

/**
 * For a single process: counts in memory, so that a request waits for nothing. `flush` writes changes, so that a restart
 * does not reset quotas.
 */
export class MemoryCounters implements RateCounters {
  readonly #store: WindowStore;
  readonly #subjects = new Map<string, Map<string, Counter>>();
  #changed = new Set<string>();

  constructor(store: WindowStore) {
    this.#store = store;
    for (const { subject, window, startedAt, used } of store.load())
      this.#windowsOf(subject).set(window, { startedAt, used });
  }

  /** Number of subjects. */
  get size(): number {
    return this.#subjects.size;
  }

  take(subject: string, cost: number, limits: readonly WindowLimit[], now: number): Taken {
    const windows = this.#windowsOf(subject);
    let isAllowed = true;
    const counters: Counter[] = [];
    for (const { name, ms, quota } of limits) {
      let counter = windows.get(name);
      if (counter === undefined || now >= counter.startedAt + ms) {
        counter = { startedAt: now, used: 0 };
        windows.set(name, counter);
      }
      // A clock that was set back must neither extend a window nor grant a fresh quota.
      counter.startedAt = Math.min(counter.startedAt, now);
      isAllowed &&= counter.used + cost <= quota;
      counters.push(counter);
    }
    if (isAllowed) for (const counter of counters) counter.used += cost;
    this.#changed.add(subject);
    return { isAllowed, counters };
  }

  clear(): void {
    this.#subjects.clear();
    this.#changed.clear();
  }

  async flush(now: number): Promise<void> {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Set();
    const windows = [...changed].flatMap((subject) =>
      [...(this.#subjects.get(subject) ?? [])].map(([window, counter]) => ({ subject, window, ...counter })),
    );
    try {
      await this.#store.save(windows, Object.fromEntries(rateWindows.map(({ name, ms }) => [name, now - ms])));
    } catch (error) {
      for (const subject of changed) this.#changed.add(subject);
      throw error;
    }
    this.#forgetIdle(now);
  }

  #windowsOf(subject: string): Map<string, Counter> {
    let windows = this.#subjects.get(subject);
    if (windows === undefined) {
      windows = new Map();
      this.#subjects.set(subject, windows);
    }
    return windows;
  }

  #forgetIdle(now: number): void {
    for (const [subject, windows] of this.#subjects) {
      for (const { name, ms } of rateWindows)
        if ((windows.get(name)?.startedAt ?? now) + ms <= now) windows.delete(name);
      if (windows.size === 0) this.#subjects.delete(subject);
    }
  }
}

/** Costs and quotas of a limiter are in tenths of a request. */
export const unitsPerRequest = 10;

/** Requests per window; 0: not limited. */
export type RateLimits = Record<WindowName, number>;

/** Rate-limit headers of an unlimited caller: a policy without a quota. */
export const unlimitedHeaders = { "ratelimit-policy": '"unlimited"' };

export type RateVerdict = {
  isAllowed: boolean;
  /** Quota of the exceeded window; 0 if none is exceeded. */
  limit: number;
  /** Seconds until the same request would be allowed; 0 if it is. */
  retryAfterSeconds: number;
  /** Rate-limit headers for the response. */
  headers: Record<string, string>;
};

const unlimited: RateVerdict = { isAllowed: true, limit: 0, retryAfterSeconds: 0, headers: unlimitedHeaders };

/** Limits the memory for addresses that sent no valid key; when it is exceeded, all of them are forgotten. */
const maxStrangers = 10_000;

/** Limits with their description for clients. */
type Policy = { limits: readonly WindowLimit[]; header: string };

function policyOf(quotas: Partial<RateLimits>): Policy {
  const active = rateWindows.filter(({ name }) => (quotas[name] ?? 0) > 0);
  return {
    limits: active.map(({ name, ms }) => ({ name, ms, quota: quotas[name]! * unitsPerRequest })),
    header: active.map(({ name, ms }) => `"${name}";q=${quotas[name]};w=${ms / 1000}`).join(", "),
  };
}

/**
 * Limits requests in windows of a minute, an hour, and a day that start with a subject's first request. Refused requests
 * are not counted.
 */
export class RateLimiter {
  readonly #policy: Policy;
  readonly #clock: { now(): number };
  readonly #counters: RateCounters;
  readonly #strangers = new MemoryCounters(noStore);

  constructor(limits: RateLimits, counters: RateCounters, clock: { now(): number }) {
    this.#clock = clock;
    this.#counters = counters;
    this.#policy = policyOf(limits);
  }

  /** Charges a request to a subject whose key was accepted. Synchronous if the counters are in memory. */
  take(subject: string, cost: number): RateVerdict | Promise<RateVerdict> {
    return this.#take(subject, cost, this.#policy);
  }

  /** Like `take`, with other limits. The windows of a subject may change. */
  takeWithin(subject: string, cost: number, limits: Partial<RateLimits>): RateVerdict | Promise<RateVerdict> {
    return this.#take(subject, cost, policyOf(limits));
  }

  #take(subject: string, cost: number, policy: Policy): RateVerdict | Promise<RateVerdict> {
    if (policy.limits.length === 0) return unlimited;
    const now = this.#clock.now();
    const taken = this.#counters.take(subject, cost, policy.limits, now);
    return taken instanceof Promise
      ? taken.then((result) => verdictOf(policy, result, cost, now))
      : verdictOf(policy, taken, cost, now);
  }

  /** Charges a request to an address that sent no valid key. These counts are in memory only. */
  takeFromStranger(address: string, cost: number): RateVerdict {
    const { limits } = this.#policy;
    if (limits.length === 0) return unlimited;
    if (this.#strangers.size >= maxStrangers) this.#strangers.clear();
    const now = this.#clock.now();
    return verdictOf(this.#policy, this.#strangers.take(address, cost, limits, now), cost, now);
  }

  /** Writes what is counted in memory only, for all subjects of the counters. */
  async flush(): Promise<void> {
    const now = this.#clock.now();
    await this.#counters.flush(now);
    await this.#strangers.flush(now);
  }
}

function verdictOf(policy: Policy, taken: Taken, cost: number, now: number): RateVerdict {
  let retryAfterMs = 0;
  let limit = 0;
  for (const [index, { ms, quota }] of policy.limits.entries()) {
    const { startedAt, used } = taken.counters[index]!;
    if (taken.isAllowed || used + cost <= quota || startedAt + ms - now <= retryAfterMs) continue;
    retryAfterMs = startedAt + ms - now;
    limit = quota / unitsPerRequest;
  }
  const headers = headersOf(policy, taken, now);
  return { isAllowed: taken.isAllowed, limit, retryAfterSeconds: Math.ceil(retryAfterMs / 1000), headers };
}

/** The IETF headers describe every window, the older three the window with the least quota left. */
function headersOf(policy: Policy, { counters }: Taken, now: number): Record<string, string> {
  let state = "";
  let tightest = { quota: 0, remaining: Number.POSITIVE_INFINITY, resetAt: 0 };
  for (const [index, { name, ms, quota }] of policy.limits.entries()) {
    const { startedAt, used } = counters[index]!;
    const remaining = Math.max(0, Math.floor((quota - used) / unitsPerRequest));
    const resetAt = startedAt + ms;
    state += `${state && ", "}"${name}";r=${remaining};t=${Math.ceil((resetAt - now) / 1000)}`;
    if (remaining < tightest.remaining) tightest = { quota: quota / unitsPerRequest, remaining, resetAt };
  }
  return {
    "ratelimit-policy": policy.header,
    ratelimit: state,
    "x-ratelimit-limit": `${tightest.quota}`,
    "x-ratelimit-remaining": `${tightest.remaining}`,
    "x-ratelimit-reset": `${Math.ceil(tightest.resetAt / 1000)}`,
  };
}
