import { now } from "./clock.ts";
import { date, isoDay, timeOfDay } from "./format.ts";

const dayMs = 86_400_000;
const weekdays = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

/** As short as it is clear: "14:05" today, "Mon 09:00" within a week, otherwise "21 Nov 2026 09:00". */
export function shortTime(at: string): string {
  const day = isoDay(at);
  if (day === isoDay(now())) return timeOfDay(at);
  const isNear = Math.abs(Date.parse(at) - now()) < 6 * dayMs;
  return `${isNear ? weekdayOf(day) : date(at)} ${timeOfDay(at)}`;
}

/** "Mon", of a day such as "2026-11-23". */
export function weekdayOf(day: string): string {
  return weekdays.format(new Date(`${day}T00:00:00Z`));
}
