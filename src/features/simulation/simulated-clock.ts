import type { Clock } from "../../platform/base/clock.ts";

type Timer = { at: number; run: () => void };

/** A clock that stands still until somebody moves it. */
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

  /** Time never goes back. */
  moveTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }

  /** Fires the timers whose moment has come, the earliest first; false when there is none. */
  fireDue(): boolean {
    // Among equals the one that was set first. Those that are set meanwhile wait for the next call.
    const due = [...this.#timers].filter(({ at }) => at <= this.#now).toSorted((a, b) => a.at - b.at);
    for (const timer of due) if (this.#timers.delete(timer)) timer.run();
    return due.length > 0;
  }
}
