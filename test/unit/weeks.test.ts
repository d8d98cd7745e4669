import { expect, test } from "bun:test";
import { weeksUntil } from "../../src/features/statistics/weeks.ts";

const iso = (at: number) => new Date(at).toISOString();
const hour = 3_600_000;

test("weeks begin on Monday at midnight in the time zone", () => {
  // A Sunday evening in New York is a Monday in UTC.
  const weeks = weeksUntil(Date.parse("2026-11-30T02:00:00Z"), 2, "America/New_York");
  expect(weeks.map(({ monday }) => monday)).toEqual(["2026-11-16", "2026-11-23"]);
  expect(iso(weeks[1]!.from)).toBe("2026-11-23T05:00:00.000Z");
  expect(weeksUntil(Date.parse("2026-11-30T02:00:00Z"), 1, "UTC")[0]?.monday).toBe("2026-11-30");
});

test("weeks follow each other without gaps, also when clocks change", () => {
  const weeks = weeksUntil(Date.parse("2026-04-01T10:00:00Z"), 3, "Europe/Berlin");
  expect(weeks.map(({ from, to }) => (to - from) / hour)).toEqual([168, 167, 168]);
  expect(weeks.slice(1).map(({ from }) => from)).toEqual(weeks.slice(0, -1).map(({ to }) => to));
});
