import type { Sessions } from "../account-model.ts";
import { drawOf } from "./draw.ts";
import { localTime, offsetAt } from "./zone.ts";

/** Minutes since midnight from which and until which an account works on a day; `to` up to 1440, behind `from`. */
export type WorkingSpan = { from: number; to: number };
/** Spans by weekday, Monday first; an empty list is a day off. */
export type WorkingHours = readonly WorkingSpan[][];

/** By weekday, as working hours; undefined: as it was. */
export type ChangedDays = readonly (WorkingSpan[] | undefined)[];

/** A week with some of its days changed. */
export function changedWeek(week: WorkingHours, days: ChangedDays): WorkingHours {
  return week.map((spans, day) => days[day] ?? spans);
}

/** When an account works: its hours, less the breaks that are drawn anew for each day. */
export type Calendar = {
  /** Decides on the breaks; the account's id. */
  id: string;
  timeZone: string;
  workingHours: WorkingHours;
  sessions: Sessions | null;
};

export type Opening = { at: number; heldBy: "outsideWorkingHours" | "break" | null };

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The first moment from `from` on at which the account works, and what it waits for until then; null: never. */
export function nextOpening(from: number, calendar: Calendar): Opening | null {
  const at = nextMomentIn((date) => sessionsOn(date, calendar), from, calendar.timeZone);
  if (at === null) return null;
  if (at === from) return { at, heldBy: null };
  const isWithinHours = nextMomentIn((date) => spansOn(date, calendar), from, calendar.timeZone) === from;
  return { at, heldBy: isWithinHours ? "break" : "outsideWorkingHours" };
}

/** `date` is midnight UTC of a calendar day. */
function spansOn(date: number, { workingHours }: Calendar): readonly WorkingSpan[] {
  const weekday = (new Date(date).getUTCDay() + 6) % 7;
  return workingHours[weekday] ?? [];
}

/** Days that were worked out before; a search goes over the same ones again and again. */
const knownDays = new WeakMap<Calendar, Map<number, readonly WorkingSpan[]>>();
const mostDays = 10_000;

/** The stretches of work of a day: its spans with the day's breaks cut out. */
function sessionsOn(date: number, calendar: Calendar): readonly WorkingSpan[] {
  let days = knownDays.get(calendar);
  if (days === undefined) knownDays.set(calendar, (days = new Map()));
  let stretches = days.get(date);
  if (stretches === undefined) {
    if (days.size >= mostDays) days.clear();
    days.set(date, (stretches = stretchesOf(date, calendar)));
  }
  return stretches;
}

function stretchesOf(date: number, calendar: Calendar): readonly WorkingSpan[] {
  const { sessions, id } = calendar;
  const spans = spansOn(date, calendar);
  if (sessions === null) return spans;
  let n = 0;
  const drawn = (min: number, max: number) => Math.round(min + drawOf(id, date, n++) * (max - min));
  return spans.flatMap(({ from, to }) => {
    const stretches: WorkingSpan[] = [];
    for (let start = from; start < to;) {
      const end = Math.min(to, start + drawn(sessions.minMinutes, sessions.maxMinutes));
      stretches.push({ from: start, to: end });
      start = end + drawn(sessions.minBreakMinutes, sessions.maxBreakMinutes);
    }
    return stretches;
  });
}

function nextMomentIn(
  spansOf: (date: number) => readonly WorkingSpan[],
  from: number,
  timeZone: string,
): number | null {
  const local = localTime(from, timeZone);
  if (spansOf(local.date).some((span) => span.from <= local.minutes && local.minutes < span.to)) return from;
  // Eight local days on, the same weekday has come again; a clock change may have swallowed its span the first time.
  for (let day = 0; day <= 14; day++) {
    const date = local.date + day * dayMs;
    const openings = spansOf(date).map((span) => openingOn(date, span, from, timeZone));
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
