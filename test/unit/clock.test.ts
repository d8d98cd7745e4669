import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { isoTime, isoTimeOrNull, parseInstant, systemClock } from "../../src/platform/base/clock.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";

const day = 86_400_000;

test.each<[string | number, number | null]>([
  [1767607200, 1_767_607_200_000],
  ["1767607200", 1_767_607_200_000],
  ["1767607200.5", 1_767_607_200_500],
  [100_000_000_000, 100_000_000_000_000],
  [100_000_000_001, 100_000_000_001],
  ["1767607200123", 1_767_607_200_123],
  [0, 0],
  ["99999999999999999999", 8_640_000_000_000_000],
  ["2026-01-05", Date.UTC(2026, 0, 5)],
  ["2026-01-05T10:00:00Z", startOfTests],
  ["2026-01-05T11:00:00.000+01:00", startOfTests],
  ["2026-02-30", null],
  ["tomorrow", null],
  ["5 January 2026", null],
  ["", null],
  ["-5", null],
])("the instant %p is read as %p", (text, expected) => {
  expect(parseInstant(text)).toBe(expected);
});

test("a date and time without a zone is read as UTC, wherever the server stands", () => {
  const zone = process.env["TZ"] ?? "UTC";
  process.env["TZ"] = "Pacific/Auckland";
  try {
    expect(parseInstant("2026-01-05T10:00:00")).toBe(startOfTests);
  } finally {
    process.env["TZ"] = zone;
  }
});

test("instants are written in UTC with milliseconds", () => {
  expect(isoTime(startOfTests + 7)).toBe("2026-01-05T10:00:00.007Z");
  expect(isoTimeOrNull(startOfTests)).toBe("2026-01-05T10:00:00.000Z");
  expect(isoTimeOrNull(null)).toBeNull();
});

test("a timer of the fake clock fires once, at its moment, in order, unless it was canceled", () => {
  const clock = new FakeClock();
  const fired: [string, number][] = [];
  const fire = (name: string) => () => void fired.push([name, clock.now() - startOfTests]);
  clock.after(20, fire("second"));
  clock.after(10, () => clock.after(5, fire("nested")));
  clock.after(20, fire("third"));
  clock.after(15, fire("canceled"))();
  clock.after(21, fire("later"));
  clock.advance(20);
  expect(fired).toEqual([
    ["nested", 15],
    ["second", 20],
    ["third", 20],
  ]);
  expect(clock.pending).toEqual([startOfTests + 21]);
  expect(clock.now()).toBe(startOfTests + 20);
});

// The system clock knows only the timers of the platform.
beforeEach(() => {
  jest.useFakeTimers({ now: startOfTests });
});
afterEach(() => {
  jest.useRealTimers();
});

test("a timer of the system clock fires once, unless it was canceled", () => {
  let fired = 0;
  systemClock.after(1000, () => fired++);
  systemClock.after(1000, () => fired++)();
  jest.advanceTimersByTime(999);
  expect(fired).toBe(0);
  jest.advanceTimersByTime(10_000);
  expect(fired).toBe(1);
  expect(systemClock.now()).toBe(startOfTests + 10_999);
});

test("a timer longer than the platform can set fires after a day, and not at once", () => {
  let fired = 0;
  systemClock.after(40 * day, () => fired++);
  jest.advanceTimersByTime(day - 1);
  expect(fired).toBe(0);
  jest.advanceTimersByTime(1);
  expect(fired).toBe(1);
});
