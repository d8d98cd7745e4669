import type { Clock } from "../base/clock.ts";

/** A reading of another clock. The times before and after it are of the monotonic clock of this process. */
export type ClockSample = { before: number; after: number; at: number };

/** As many recent samples are considered, like the clock filter of NTP (RFC 5905, section 10). */
const samplesKept = 8;
/** Without a sample, monotonic clocks drift apart by less than 30 ms in this time (500 ppm, RFC 5905, section 7.2). */
const maxAgeMs = 60_000;

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
    const sample = { before, at, after: this.#monotonic() };
    const earlier = this.#samples.filter((other) => agree(sample, other));
    this.#samples = [...earlier.slice(1 - samplesKept), sample];
    const best = this.#samples.reduce((one, other) => (roundTrip(other) <= roundTrip(one) ? other : one));
    this.#offset = offsetOf(best);
  }

  /** Whether the time of the database was read recently enough to rely on it. */
  get isKnown(): boolean {
    const last = this.#samples.at(-1);
    return last !== undefined && this.#monotonic() - last.after < maxAgeMs;
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

function offsetOf({ before, at, after }: ClockSample): number {
  return at - (before + after) / 2;
}

/** For drift between two samples, and because the time of the database is cut to milliseconds. */
const toleranceMs = 20;

/** False if a clock was changed between two samples, or the machine slept: each is off by half its round trip at most. */
function agree(one: ClockSample, other: ClockSample): boolean {
  const bound = (roundTrip(one) + roundTrip(other)) / 2 + toleranceMs;
  return Math.abs(offsetOf(one) - offsetOf(other)) <= bound;
}
