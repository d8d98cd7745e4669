import type { Clock } from "../base/clock.ts";

/** An expensive computation takes at most one part in this many of the total time, however often its value is requested. */
const costRatio = 20;

/** Caches a value for at least `cacheMs`, and longer if it took long to compute. */
export class CachedValue<T> {
  readonly #compute: () => Promise<T>;
  readonly #cacheMs: number;
  readonly #clock: Clock;
  #latest: { value: T; computedAt: number; cacheMs: number } | null = null;
  #pending: Promise<T> | null = null;

  constructor(compute: () => Promise<T>, cacheMs: number, clock: Clock) {
    this.#compute = compute;
    this.#cacheMs = cacheMs;
    this.#clock = clock;
  }

  /** Concurrent callers share one computation. Failures are not cached. */
  async get(): Promise<T> {
    if (this.#latest !== null) {
      const age = this.#clock.now() - this.#latest.computedAt;
      // A negative age means that the clock was set back.
      if (age >= 0 && age < this.#latest.cacheMs) return this.#latest.value;
    }
    this.#pending ??= this.#refresh().finally(() => (this.#pending = null));
    return this.#pending;
  }

  async #refresh(): Promise<T> {
    const startedAt = performance.now();
    const value = await this.#compute();
    const tookMs = performance.now() - startedAt;
    this.#latest = { value, computedAt: this.#clock.now(), cacheMs: Math.max(this.#cacheMs, tookMs * costRatio) };
    return value;
  }
}
