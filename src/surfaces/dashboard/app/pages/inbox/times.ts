import { now } from "../../clock.ts";
import { date, instantOfDay, isoDay, timeOfDay } from "../../format.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** "17:04" today, otherwise "21 Nov 2026". */
export function shortTime(at: string): string {
  return isoDay(at) === isoDay(now()) ? timeOfDay(at) : date(at);
}

/** 09:00 of a later day, in the user's time zone. */
export function morningIn(days: number): string {
  const midnight = instantOfDay(isoDay(now()), days);
  return new Date((midnight === null ? now() + days * dayMs : Date.parse(midnight)) + 9 * hourMs).toISOString();
}

export const tomorrowMorning = (): string => morningIn(1);
