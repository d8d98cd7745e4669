/** Minutes since midnight from which and until which an account works on a day; `to` up to 1440, behind `from`. */
export type WorkingSpan = { from: number; to: number };
/** Spans by weekday, Monday first; an empty list is a day off. */
export type WorkingHours = readonly WorkingSpan[][];

export type SlotRequest = {
  /** The earliest moment that anybody asks for. */
  notBefore: number;
  /** The latest moment already given to an action of the account, or null. */
  lastSlotAt: number | null;
  /** Distance to keep from `lastSlotAt`. */
  gapMs: number;
  workingHours: WorkingHours;
  /** IANA name. */
  timeZone: string;
};

export type Slot = { at: number; reason: "due" | "spacing" | "outsideWorkingHours" };

const dayMs = 86_400_000;
const minuteMs = 60_000;

/**
 * The earliest fair moment for an action: behind the last one by the gap, and within the account's working hours.
 * `reason` is what held it back last. Null when the hours never open.
 */
export function earliestSlot(request: SlotRequest): Slot | null {
  const spaced =
    request.lastSlotAt === null ? request.notBefore : Math.max(request.notBefore, request.lastSlotAt + request.gapMs);
  const open = nextOpenMoment(spaced, request.workingHours, request.timeZone);
  if (open === null) return null;
  if (open > spaced) return { at: open, reason: "outsideWorkingHours" };
  return { at: spaced, reason: spaced > request.notBefore ? "spacing" : "due" };
}

/** The first moment from `from` on that lies within the working hours; null when no day of the week has any. */
export function nextOpenMoment(from: number, hours: WorkingHours, timeZone: string): number | null {
  const local = localTime(from, timeZone);
  if (hours[weekdayOf(local.date)]?.some((span) => span.from <= local.minutes && local.minutes < span.to)) return from;
  // Eight local days on, the same weekday has come again; a clock change may have swallowed its span the first time.
  for (let day = 0; day <= 14; day++) {
    const date = local.date + day * dayMs;
    const openings = (hours[weekdayOf(date)] ?? []).map((span) => openingOn(date, span, from, timeZone));
    const known = openings.filter((at) => at !== null);
    if (known.length > 0) return Math.min(...known);
  }
  return null;
}

/**
 * The first moment of a span on a local date that is not before `from`. Where clocks change that day, its wall-clock
 * times come once in each offset from UTC that is in force, or not at all.
 */
function openingOn(date: number, span: WorkingSpan, from: number, timeZone: string): number | null {
  const offsets = new Set([date - dayMs, date + dayMs / 2, date + 2 * dayMs].map((at) => offsetAt(at, timeZone)));
  const openings = [...offsets].map((offset) => {
    const start = Math.max(from, date + span.from * minuteMs - offset);
    return firstInForce(offset, start, date + span.to * minuteMs - offset, timeZone);
  });
  const known = openings.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The first moment from `start` to before `end` at which the zone has this offset; clocks change once in it at most. */
function firstInForce(offset: number, start: number, end: number, timeZone: string): number | null {
  if (start >= end) return null;
  if (offsetAt(start, timeZone) === offset) return start;
  if (offsetAt(end - 1, timeZone) !== offset) return null;
  let before = start;
  let inForce = end - 1;
  while (inForce - before > 1) {
    const middle = Math.floor((before + inForce) / 2);
    if (offsetAt(middle, timeZone) === offset) inForce = middle;
    else before = middle;
  }
  return inForce;
}

/** 0 = Monday. `date` is midnight UTC of a calendar day. */
function weekdayOf(date: number): number {
  return (new Date(date).getUTCDay() + 6) % 7;
}

/** Wall-clock time: the calendar day as its midnight in UTC, and minutes since midnight with a fraction for seconds. */
type LocalTime = { date: number; minutes: number };

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

function localTime(at: number, timeZone: string): LocalTime {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { date: Date.UTC(year, month - 1, day), minutes: hour * 60 + minute + second / 60 };
}

/** Local time minus UTC at an instant, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const local = localTime(at, timeZone);
  return local.date + Math.round(local.minutes * 60) * 1000 - Math.floor(at / 1000) * 1000;
}

/** True for an IANA time zone name that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
