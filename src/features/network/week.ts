import type { FieldError } from "../../platform/base/errors.ts";
import { weekdays, type WeekView } from "./account-model.ts";
import type { ChangedDays, WorkingHours, WorkingSpan } from "./governor/calendar.ts";

/** Working hours in the format of the API: local times by weekday. */
export function weekView(hours: WorkingHours): WeekView {
  const days = weekdays.map((day, index) => [
    day,
    (hours[index] ?? []).map(({ from, to }) => ({ from: clockTime(from), to: clockTime(to) })),
  ]);
  return Object.fromEntries(days) as WeekView;
}

/** Parses the days that a client sent. Empty or overlapping spans are errors. */
export function readWeek(week: Partial<WeekView>): { days: ChangedDays; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const days = weekdays.map((day) => {
    const sent = week[day];
    if (sent === undefined) return undefined;
    const spans = sent
      .map(({ from, to }) => ({ from: minutesOf(from), to: minutesOf(to) }))
      .toSorted((a, b) => a.from - b.from);
    const problem = problemOf(spans);
    if (problem !== null) errors.push({ path: `workingHours.${day}`, message: problem });
    return spans;
  });
  return { days, errors };
}

function problemOf(spans: WorkingSpan[]): string | null {
  for (const [index, { from, to }] of spans.entries()) {
    if (to <= from) return `Expected "to" to be later than "from", got ${clockTime(from)} to ${clockTime(to)}.`;
    const before = spans[index - 1];
    if (before !== undefined && from < before.to)
      return `The time ranges starting at ${clockTime(before.from)} and ${clockTime(from)} overlap.`;
  }
  return null;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function clockTime(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}
