import type { Clock } from "../base/clock.ts";

/** An expensive computation takes at most one part in this many of the total time, however often its value is requested. */
const costRatio = 20;

/** Caches a value for at least `holdsMs`, and longer if it took long to compute. */
export class Remembered<T> {
  readonly #compute: () => Promise<T>;
  readonly #holdsMs: number;
  readonly #clock: Clock;
  #latest: { value: T; computedAt: number; holdsMs: number } | null = null;
  #pending: Promise<T> | null = null;

  constructor(compute: () => Promise<T>, holdsMs: number, clock: Clock) {
    this.#compute = compute;
    this.#holdsMs = holdsMs;
    this.#clock = clock;
  }

  /** Concurrent callers share one computation. Failures are not cached. */
  async get(): Promise<T> {
    if (this.#latest !== null) {
      const age = this.#clock.now() - this.#latest.computedAt;
      // A negative age means that the clock was set back.
      if (age >= 0 && age < this.#latest.holdsMs) return this.#latest.value;
    }
    this.#pending ??= this.#refresh().finally(() => (this.#pending = null));
    return this.#pending;
  }

  async #refresh(): Promise<T> {
    const startedAt = performance.now();
    const value = await this.#compute();
    const tookMs = performance.now() - startedAt;
    this.#latest = { value, computedAt: this.#clock.now(), holdsMs: Math.max(this.#holdsMs, tookMs * costRatio) };
    return value;
  }
}
