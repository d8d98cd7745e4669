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
  #shown: number;
  #read: number;

  constructor(system: Clock) {
    this.system = system;
    this.#read = system.now();
    this.#shown = this.#read;
  }

  now(): number {
    const system = this.system.now();
    if (system >= this.#shown) this.#shown = system;
    else this.#shown += Math.min(Math.max(system - this.#read, 0), maxStepMs) / slowdown;
    this.#read = system;
    return Math.floor(this.#shown);
  }

  after(delayMs: number, run: () => void): () => void {
    return this.system.after(delayMs, run);
  }

  /** Continues from the time of a previous process: time is never before `at`. */
  raiseTo(at: number): void {
    this.#shown = Math.max(this.#shown, at);
  }

  /** How far the system clock is behind; 0 if it is correct. */
  behindMs(): number {
    return Math.max(0, this.now() - this.system.now());
  }
}
