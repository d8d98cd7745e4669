import type { Clock } from "../../src/platform/base/clock.ts";

/** A Monday in winter, ten o'clock in the morning in London. */
export const startOfTests = Date.UTC(2026, 0, 5, 10);

type Timer = { at: number; run: () => void };

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  #timers: Timer[] = [];

  constructor(now: number = startOfTests) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(delayMs, 0), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /**
   * Moves time forward and fires what is due on the way, each timer at its own moment, also timers that those set.
   * What a timer sets in motion asynchronously goes on after `advance` has returned.
   */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let timer = this.#nextUntil(until); timer !== undefined; timer = this.#nextUntil(until)) {
      this.#timers = this.#timers.filter((other) => other !== timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
    }
    this.#now = until;
  }

  /** Sets the time as somebody sets a clock, back too; timers stay at the moments that they were set for. */
  set(now: number): void {
    this.#now = now;
  }

  /** Moves time to a moment that is not in the past, as `advance` does. */
  advanceTo(at: number): void {
    if (at < this.#now) throw new Error(`Expected a moment from ${this.#now} on, got ${at}`);
    this.advance(at - this.#now);
  }

  /** Moments at which timers are set to fire, earliest first. */
  get pending(): number[] {
    return this.#timers.map(({ at }) => at).toSorted((a, b) => a - b);
  }

  /** The earliest timer up to `until`; among equals the one that was set first. */
  #nextUntil(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }
}
