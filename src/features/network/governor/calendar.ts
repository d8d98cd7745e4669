import { drawOf } from "./draw.ts";
import { localTime, offsetAt } from "./zone.ts";

/** Bounds in minutes for the random lengths of work sessions and of the breaks between them. */
export type Sessions = { minMinutes: number; maxMinutes: number; minBreakMinutes: number; maxBreakMinutes: number };

/** Working time of a day in minutes since midnight; `to` is later than `from` and at most 1440. */
export type WorkingSpan = { from: number; to: number };
/** Spans by weekday, Monday first; an empty list is a day off. */
export type WorkingHours = readonly WorkingSpan[][];

/** Days without work, as local dates such as 2030-12-24, with both ends. */
export type Holiday = { from: string; to: string; name: string };

/** By weekday, like working hours; undefined: unchanged. */
export type ChangedDays = readonly (WorkingSpan[] | undefined)[];

/** Replaces some days of a week. */
export function changedWeek(week: WorkingHours, days: ChangedDays): WorkingHours {
  return week.map((spans, day) => days[day] ?? spans);
}

/** When an account works: its working hours, except on holidays, minus the random breaks of each day. */
export type Calendar = {
  /** ID of the account, which seeds the random breaks. */
  id: string;
  timeZone: string;
  workingHours: WorkingHours;
  holidays?: readonly Holiday[];
  sessions: Sessions | null;
};

export type Opening = { at: number; waitsFor: "outsideWorkingHours" | "holiday" | "break" | null };

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The first time at or after `from` when the account works, and what it waits for until then; null: never. */
export function nextOpening(from: number, calendar: Calendar): Opening | null {
  const at = nextTimeIn((date) => sessionsOn(date, calendar), from, calendar);
  if (at === null) return null;
  if (at === from) return { at, waitsFor: null };
  if (lastDayOff(localTime(from, calendar.timeZone).date, calendar) !== null) return { at, waitsFor: "holiday" };
  const isWithinHours = nextTimeIn((date) => spansOn(date, calendar), from, calendar) === from;
  return { at, waitsFor: isWithinHours ? "break" : "outsideWorkingHours" };
}

/** The last day of the holidays that include a date (midnight UTC); null for other days. */
function lastDayOff(date: number, { holidays = [] }: Calendar): number | null {
  if (holidays.length === 0) return null;
  const day = new Date(date).toISOString().slice(0, 10);
  const ends = holidays.filter(({ from, to }) => from <= day && day <= to).map(({ to }) => Date.parse(to));
  return ends.length === 0 ? null : Math.max(...ends);
}

/** `date` is midnight UTC of a calendar day. */
function spansOn(date: number, calendar: Calendar): readonly WorkingSpan[] {
  const { workingHours } = calendar;
  if (lastDayOff(date, calendar) !== null) return [];
  const weekday = (new Date(date).getUTCDay() + 6) % 7;
  return workingHours[weekday] ?? [];
}

/** Caches the sessions of days, because a search visits the same days again and again. */
const cachedDays = new WeakMap<Calendar, Map<number, readonly WorkingSpan[]>>();
const maxCachedDays = 10_000;

/** The work sessions of a day: its spans without the breaks. */
function sessionsOn(date: number, calendar: Calendar): readonly WorkingSpan[] {
  let days = cachedDays.get(calendar);
  if (days === undefined) cachedDays.set(calendar, (days = new Map()));
  let sessions = days.get(date);
  if (sessions === undefined) {
    if (days.size >= maxCachedDays) days.clear();
    days.set(date, (sessions = drawSessions(date, calendar)));
  }
  return sessions;
}

function drawSessions(date: number, calendar: Calendar): readonly WorkingSpan[] {
  const { sessions, id } = calendar;
  const spans = spansOn(date, calendar);
  if (sessions === null) return spans;
  let n = 0;
  const draw = (min: number, max: number) => Math.round(min + drawOf(id, date, n++) * (max - min));
  return spans.flatMap(({ from, to }) => {
    const stretches: WorkingSpan[] = [];
    for (let start = from; start < to;) {
      const end = Math.min(to, start + draw(sessions.minMinutes, sessions.maxMinutes));
      stretches.push({ from: start, to: end });
      start = end + draw(sessions.minBreakMinutes, sessions.maxBreakMinutes);
    }
    return stretches;
  });
}

function nextTimeIn(
  spansOf: (date: number) => readonly WorkingSpan[],
  from: number,
  calendar: Calendar,
): number | null {
  const { timeZone } = calendar;
  const local = localTime(from, timeZone);
  if (spansOf(local.date).some((span) => span.from <= local.minutes && local.minutes < span.to)) return from;
  // Every weekday comes up twice, because a clock change may have skipped its span the first time. Holidays are passed
  // over, and do not count.
  for (let date = local.date, left = 15; left > 0; date += dayMs) {
    const dayOff = lastDayOff(date, calendar);
    if (dayOff !== null) {
      date = dayOff;
      continue;
    }
    left--;
    const openings = spansOf(date).map((span) => openingOn(date, span, from, timeZone));
    const times = openings.filter((at) => at !== null);
    if (times.length > 0) return Math.min(...times);
  }
  return null;
}

/**
 * The first time in a span on a local date that is not before `from`. If clocks change on that day, a local time occurs
 * once in each UTC offset in effect, or not at all.
 */
function openingOn(date: number, span: WorkingSpan, from: number, timeZone: string): number | null {
  const offsets = new Set([date - dayMs, date + dayMs / 2, date + 2 * dayMs].map((at) => offsetAt(at, timeZone)));
  const openings = [...offsets].map((offset) => {
    const start = Math.max(from, date + span.from * minuteMs - offset);
    return firstInEffect(offset, start, date + span.to * minuteMs - offset, timeZone);
  });
  const times = openings.filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** The first time in [start, end) when the zone has this offset. Clocks change at most once in the interval. */
function firstInEffect(offset: number, start: number, end: number, timeZone: string): number | null {
  if (start >= end) return null;
  if (offsetAt(start, timeZone) === offset) return start;
  if (offsetAt(end - 1, timeZone) !== offset) return null;
  let before = start;
  let inEffect = end - 1;
  while (inEffect - before > 1) {
    const middle = Math.floor((before + inEffect) / 2);
    if (offsetAt(middle, timeZone) === offset) inEffect = middle;
    else before = middle;
  }
  return inEffect;
}
