import type { Clock } from "./clock.ts";

/** How much slower time runs while the system clock is behind: enough for retries and for ids to stay in order. */
const slowdown = 10;
/** The clock is read every second; a longer step is a change of the clock, which is not to be followed. */
const longestStepMs = 10_000;

/**
 * Time that never goes back. After the system clock was set back, it continues at a tenth of its speed from the latest
 * time it has shown, until the system clock is there as well. So nothing that was done moves into the future, where no
 * cap, lease or expiry would count it, and no record is older than one that was written before it.
 */
export class SteadyClock implements Clock {
  /** What it goes by: for waits that no step of the clock must make longer. */
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
    else this.#shown += Math.min(Math.max(system - this.#read, 0), longestStepMs) / slowdown;
    this.#read = system;
    return Math.floor(this.#shown);
  }

  after(delayMs: number, run: () => void): () => void {
    return this.system.after(delayMs, run);
  }

  /** Continues where an earlier process was: from now on time is not before `at`. */
  raiseTo(at: number): void {
    this.#shown = Math.max(this.#shown, at);
  }

  /** How far the system clock is behind; 0 when it is right. */
  behindMs(): number {
    return Math.max(0, this.now() - this.system.now());
  }
}
