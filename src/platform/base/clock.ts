/** Time as everything in the house sees it. Tests put a clock in its place that they move by hand. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls `run` once after `delayMs`; the answer cancels it. A timer is a hint only: the database knows what is due. */
  after(delayMs: number, run: () => void): () => void;
};

// setTimeout overflows above 2^31 - 1 ms and fires at once; whoever waits longer than this simply looks again.
const longestTimerMs = 86_400_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/** ISO 8601 in UTC with milliseconds, as all instants are written on the wire. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** As `isoTime`, for instants that may be absent. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/**
 * Reads an instant that a client wrote: ISO 8601, or a Unix time in seconds; a number above 100,000,000,000 is read as
 * milliseconds. Null when it is neither.
 */
export function parseInstant(value: string | number): number | null {
  const number = typeof value === "number" ? value : /^\d+(\.\d+)?$/.test(value) ? Number(value) : null;
  if (number !== null) return Math.round(number > 100_000_000_000 ? number : number * 1000);
  return parseIso(String(value));
}

const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Without a zone it is UTC, wherever the server stands. */
function parseIso(text: string): number | null {
  const [, date = "", time = "00:00", zone = "Z"] = isoForm.exec(text.trim()) ?? [];
  const at = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // Date.parse takes 30 February for 2 March.
  const isReal = !Number.isNaN(at) && new Date(`${date}T00:00Z`).toISOString().startsWith(date);
  return isReal ? at : null;
}
