// The sources of time, IDs, and random numbers: all that differs between two runs. Injected, so that tests are reproducible.

/** The only source of time. Tests replace it with a clock that they advance manually. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. Timers are only hints: the database decides what is due. */
  after(delayMs: number, run: () => void): () => void;
};

// setTimeout overflows above 2^31 - 1 ms and fires immediately. Code that waits longer than this checks again.
const maxTimerMs = 86_400_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), maxTimerMs));
    return () => clearTimeout(timer);
  },
};

/** The only source of IDs, secrets, and random numbers. */
export type Ids = {
  /** A UUID version 7: sorts by creation time, even within one millisecond. */
  next(at: number): string;
  /** `length` bytes from a cryptographic source. */
  secretBytes(length: number): Uint8Array;
  /** A random number in [0, 1). Not for secrets. */
  random(): number;
};

export const systemIds: Ids = {
  next: (at) => Bun.randomUUIDv7("hex", at),
  secretBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  random: () => Math.random(),
};

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

/** ISO 8601 in UTC with milliseconds, the format of all times in the API. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Like `isoTime`, for optional times. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/**
 * Parses a time sent by a client: ISO 8601, or Unix time in seconds (in milliseconds above 100,000,000,000). Null if it
 * is neither.
 */
export function parseInstant(value: string | number): number | null {
  const number = typeof value === "number" ? value : /^\d+(\.\d+)?$/.test(value) ? Number(value) : null;
  if (number !== null) return Math.min(Math.round(number > 100_000_000_000 ? number : number * 1000), latestTime);
  return parseIso(String(value));
}

/** The latest time that a Date can hold. */
const latestTime = 8_640_000_000_000_000;

const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Times without a zone are in UTC, whatever the time zone of the server. */
function parseIso(text: string): number | null {
  const [, date = "", time = "00:00", zone = "Z"] = isoForm.exec(text.trim()) ?? [];
  const at = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // Date.parse accepts February 30 as March 2.
  const isReal = !Number.isNaN(at) && new Date(`${date}T00:00Z`).toISOString().startsWith(date);
  return isReal ? at : null;
}
