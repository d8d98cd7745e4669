import type { Clock } from "../base/clock.ts";

/** A reading of another clock. The times before and after it are of the monotonic clock of this process. */
export type ClockSample = { before: number; after: number; at: number };

/** As many recent samples are considered, like the clock filter of NTP (RFC 5905, section 10). */
const samplesKept = 8;

/**
 * The time of the database, which all nodes share: the clocks of their machines differ and may jump. It continues on the
 * monotonic clock between samples. The sample with the shortest round trip counts, and is off by half of it at most.
 */
export class ClusterClock implements Clock {
  readonly #system: Clock;
  readonly #monotonic: () => number;
  #samples: ClockSample[] = [];
  #offset = 0;

  /** `system`: for timers. `monotonic`: milliseconds since any moment. */
  constructor(system: Clock, monotonic: () => number = () => performance.now()) {
    this.#system = system;
    this.#monotonic = monotonic;
  }

  /** Reads the other clock and takes its time over. */
  async sample(read: () => Promise<number>): Promise<void> {
    const before = this.#monotonic();
    const at = await read();
    this.#samples = [...this.#samples.slice(1 - samplesKept), { before, at, after: this.#monotonic() }];
    const best = this.#samples.reduce((one, other) => (roundTrip(other) <= roundTrip(one) ? other : one));
    this.#offset = best.at - (best.before + best.after) / 2;
  }

  /** Only after the first sample. */
  now(): number {
    return Math.floor(this.#monotonic() + this.#offset);
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#system.after(delayMs, run);
  }

  /** How far the clock of this machine is ahead of the time of the database. */
  systemAheadMs(): number {
    return this.#system.now() - this.now();
  }
}

function roundTrip({ before, after }: ClockSample): number {
  return after - before;
}
