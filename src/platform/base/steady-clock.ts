import type { Clock } from "./clock.ts";

/** How much slower time passes while the system clock is behind. Time must not stop: retries and ID order depend on it. */
const slowdown = 10;
/** The clock is read every second. A longer step means that the clock was changed, so it is ignored. */
const maxStepMs = 10_000;

/**
 * Time that never goes back. If the system clock is set back, time continues at a tenth of its speed from the latest time
 * it has shown, until the system clock catches up. Otherwise, past actions would be in the future, where no cap, lease, or
 * expiry counts them, and new records would be older than existing ones.
 */
export class SteadyClock implements Clock {
  /** The underlying clock, for waits that a clock change must not prolong. */
  readonly system: Clock;
  #latest: number;
  #lastSystemTime: number;

  constructor(system: Clock) {
    this.system = system;
    this.#lastSystemTime = system.now();
    this.#latest = this.#lastSystemTime;
  }

  now(): number {
    const system = this.system.now();
    if (system >= this.#latest) this.#latest = system;
    else this.#latest += Math.min(Math.max(system - this.#lastSystemTime, 0), maxStepMs) / slowdown;
    this.#lastSystemTime = system;
    return Math.floor(this.#latest);
  }

  after(delayMs: number, run: () => void): () => void {
    return this.system.after(delayMs, run);
  }

  /** Continues from the time of a previous process: time is never before `at`. */
  raiseTo(at: number): void {
    this.#latest = Math.max(this.#latest, at);
  }

  /** How far the system clock is behind; 0 if it is correct. */
  behindMs(): number {
    return Math.max(0, this.now() - this.system.now());
  }
}
