import type { Clock } from "../../platform/base/clock.ts";

type Timer = { at: number; run: () => void };

/** A clock that stands still until it is advanced explicitly. */
export class SimulatedClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(delayMs, 0), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances to the given time; never moves backward. */
  moveTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }

  /** Fires due timers, earliest first; false if none were due. */
  fireDue(): boolean {
    // Timers with equal times fire in the order they were set. Timers set while firing wait for the next call.
    const due = [...this.#timers].filter(({ at }) => at <= this.#now).toSorted((a, b) => a.at - b.at);
    for (const timer of due) if (this.#timers.delete(timer)) timer.run();
    return due.length > 0;
  }
}
