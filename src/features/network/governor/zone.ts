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
  const day = Math.floor(at / dayMs);
  const zone = (zones[timeZone] ??= new Map());
  let offset = zone.get(day);
  if (offset === undefined) {
    const start = formattedOffset(day * dayMs, timeZone);
    // No time zone changes its clocks twice in one day.
    offset = start === formattedOffset((day + 1) * dayMs - 1, timeZone) ? start : "changes";
    if (zone.size >= maxCachedDays) zone.clear();
    zone.set(day, offset);
  }
  return offset === "changes" ? formattedOffset(at, timeZone) : offset;
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

/** Caches offsets by zone and UTC day, because plans look them up over and over, and Intl takes microseconds each time. */
const zones: Record<string, Map<number, number | "changes">> = Object.create(null);
const maxCachedDays = 20_000;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    const parts = {
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    } as const;
    formatter = new Intl.DateTimeFormat("en-US", { ...parts, timeZone, hourCycle: "h23" });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function formattedOffset(at: number, timeZone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
