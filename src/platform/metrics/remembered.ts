import type { Clock } from "../base/clock.ts";

/** What takes long to find out shall not take more than this part of somebody's time, however often it is asked for. */
const share = 20;

/** An answer that holds for a while: at least `holdsMs`, and longer when it took long to find out. */
export class Remembered<T> {
  readonly #find: () => Promise<T>;
  readonly #holdsMs: number;
  readonly #clock: Clock;
  #latest: { value: T; foundAt: number; holdsMs: number } | null = null;
  #finding: Promise<T> | null = null;

  constructor(find: () => Promise<T>, holdsMs: number, clock: Clock) {
    this.#find = find;
    this.#holdsMs = holdsMs;
    this.#clock = clock;
  }

  /** Everybody who asks while it is looked for waits for the same answer. A failure is not remembered. */
  async get(): Promise<T> {
    if (this.#latest !== null) {
      const age = this.#clock.now() - this.#latest.foundAt;
      // Below zero: the clock was set back.
      if (age >= 0 && age < this.#latest.holdsMs) return this.#latest.value;
    }
    this.#finding ??= this.#look().finally(() => (this.#finding = null));
    return this.#finding;
  }

  async #look(): Promise<T> {
    const startedAt = performance.now();
    const value = await this.#find();
    const tookMs = performance.now() - startedAt;
    this.#latest = { value, foundAt: this.#clock.now(), holdsMs: Math.max(this.#holdsMs, tookMs * share) };
    return value;
  }
}
