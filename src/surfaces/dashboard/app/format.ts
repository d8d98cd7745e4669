import { timeZone } from "./session.ts";

const number = new Intl.NumberFormat("en-GB");

export function count(value: number): string {
  return number.format(value);
}

/** "1 lead", "2 leads". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** "Sat 21 Nov 2026, 17:04", in the user's time zone. */
export function dateTime(instant: string | number): string {
  return formatter({
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(instant));
}

/** "21 Nov 2026". */
export function date(instant: string | number): string {
  return formatter({ day: "numeric", month: "short", year: "numeric" }).format(new Date(instant));
}

/** "17:04". */
export function timeOfDay(instant: string | number): string {
  return formatter({ hour: "2-digit", minute: "2-digit" }).format(new Date(instant));
}

/** "2026-11-21" in the user's time zone. */
export function isoDay(instant: string | number): string {
  const parts = formatter({ year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(new Date(instant));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}

/** Converts the value of a date-time field, such as "2026-11-21T17:04" in the user's time zone, to ISO 8601. */
export function instantOf(local: string): string {
  const wanted = Date.parse(`${local}Z`);
  // Near a daylight saving change, the first offset may be from the wrong side of it.
  const near = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(near)).toISOString();
}

/**
 * Start of a day such as "2026-11-21" in the user's time zone, or of the day `later` days after it. Null if invalid.
 */
export function instantOfDay(day: string, later = 0): string | null {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? null : instantOf(new Date(at + later * 86_400_000).toISOString().slice(0, 16));
}

/** Offset of the user's time zone from UTC at an instant, in milliseconds. */
function offsetAt(instant: number): number {
  const shown = `${isoDay(instant)}T${timeOfDay(instant)}Z`;
  return Date.parse(shown) - Math.floor(instant / 60_000) * 60_000;
}

const units = [
  { name: "day", ms: 86_400_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "minute", ms: 60_000 },
] as const;
const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });

/** "in 3 hours", "yesterday"; a date if more than 30 days away. */
export function relativeTime(instant: string | number, now: number): string {
  const ms = new Date(instant).getTime() - now;
  if (Math.abs(ms) < 45_000) return "now";
  if (Math.abs(ms) > 30 * 86_400_000) return date(instant);
  const unit = units.find((one) => Math.abs(ms) >= one.ms) ?? units[2];
  return relative.format(Math.round(ms / unit.ms), unit.name);
}

export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** "1:05". */
export function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** A message of the API as people read it: without the request that a program would send next. */
export function withoutRequests(message: string): string {
  return message.replace(/(?::| with) (?:GET|POST|PUT|PATCH|DELETE) \/api\/\S+?(?=\.?(?:\s|$))/g, "");
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Formatters are cached: creating one takes longer than using it a thousand times. */
function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const zone = timeZone();
  const key = zone + JSON.stringify(options);
  let found = formatters.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone, hourCycle: "h23" });
    formatters.set(key, found);
  }
  return found;
}
