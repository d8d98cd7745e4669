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
  const spaced = request.lastSlotAt === null ? request.notBefore : Math.max(request.notBefore, request.lastSlotAt + request.gapMs);
  const open = nextOpenMoment(spaced, request.workingHours, request.timeZone);
  if (open === null) return null;
  if (open > spaced) return { at: open, reason: "outsideWorkingHours" };
  return { at: spaced, reason: spaced > request.notBefore ? "spacing" : "due" };
}

/** The first moment from `from` on that lies within the working hours; null when no day of the week has any. */
export function nextOpenMoment(from: number, hours: WorkingHours, timeZone: string): number | null {
  // Eight local days: the same weekday a week on is the last that can open, when today's span is over.
  let at = from;
  for (let day = 0; day <= 8; day++) {
    const local = localTime(at, timeZone);
    const opening = (hours[local.weekday] ?? []).map((span) => openingWithin(span, local.minutes)).filter((m) => m !== null);
    if (opening.length > 0) {
      const minutes = Math.min(...opening);
      // Within a span already: now. Otherwise the wall-clock time of the opening, which a DST change may have moved.
      return minutes <= local.minutes ? at : instantOf(local, minutes, timeZone, at);
    }
    at = startOfNextDay(local, timeZone, at);
  }
  return null;
}

/** Minutes of the day at which the span is next open, seen from `minutes`; null when it is over for the day. */
function openingWithin(span: WorkingSpan, minutes: number): number | null {
  if (minutes >= span.to) return null;
  return Math.max(span.from, minutes);
}

type LocalTime = { year: number; month: number; day: number; weekday: number; minutes: number };

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    formatter = new Intl.DateTimeFormat("en-US", { ...parts, timeZone, hourCycle: "h23" });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** Wall-clock time of an instant; `minutes` has a fraction for seconds; weekday 0 = Monday. */
function localTime(at: number, timeZone: string): LocalTime {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  return { year, month, day, weekday, minutes: hour * 60 + minute + second / 60 };
}

/** The instant at which the clock on the wall shows `minutes` on the local day; never before `notBefore`. */
function instantOf(local: LocalTime, minutes: number, timeZone: string, notBefore: number): number {
  const wall = Date.UTC(local.year, local.month - 1, local.day) + minutes * minuteMs;
  let at = wall - offsetAt(wall, timeZone);
  at = wall - offsetAt(at, timeZone); // a second look, where the offset changes between the guess and the answer
  return Math.max(at, notBefore);
}

function startOfNextDay(local: LocalTime, timeZone: string, at: number): number {
  const next = new Date(Date.UTC(local.year, local.month - 1, local.day) + dayMs);
  const day = { ...local, year: next.getUTCFullYear(), month: next.getUTCMonth() + 1, day: next.getUTCDate() };
  return Math.max(instantOf(day, 0, timeZone, at), at + 1);
}

/** Local time minus UTC at an instant, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const local = localTime(at, timeZone);
  return Date.UTC(local.year, local.month - 1, local.day) + local.minutes * minuteMs - Math.floor(at / 1000) * 1000;
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
