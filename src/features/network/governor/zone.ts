const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Local time: the calendar day as midnight UTC, and minutes since midnight with a fraction for seconds. */
export type LocalTime = { date: number; minutes: number };

export function localTime(at: number, timeZone: string): LocalTime {
  const local = at + offsetAt(at, timeZone);
  const date = Math.floor(local / dayMs) * dayMs;
  return { date, minutes: (local - date) / minuteMs };
}

/** Local time minus UTC at an instant, in milliseconds. */
export function offsetAt(at: number, timeZone: string): number {
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(at));
  return instant.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e6;
}

/** Whether this is an IANA time zone name that the runtime supports. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
