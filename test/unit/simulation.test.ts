import { expect, test } from "bun:test";
import { durationMs } from "../../src/features/simulation/duration.ts";
import { SimulatedClock } from "../../src/features/simulation/simulated-clock.ts";
import { createSimulatedIds } from "../../src/features/simulation/simulated-ids.ts";
import { startOfTests } from "../support/clock.ts";

test.each([
  ["P30D", 30 * 86_400_000],
  ["PT6H", 6 * 3_600_000],
  ["P1DT12H", 36 * 3_600_000],
  ["p2w", 14 * 86_400_000],
  ["PT90M5S", 5_405_000],
  ["P0D", 0],
])("%s is so many milliseconds", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each(["", "P", "PT", "P1DT", "30D", "P1M", "P1Y", "P-1D", "P1.5D", "a day"])("%p is no duration", (text) => {
  expect(durationMs(text)).toBeNull();
});

test("the clock stands still, and fires timers in order once it was moved", () => {
  const clock = new SimulatedClock(startOfTests);
  const fired: string[] = [];
  const note = (name: string) => () => void fired.push(name);
  clock.after(500, note("later"));
  clock.after(100, () => {
    note("first")();
    cancel();
    clock.after(0, note("set by the first"));
  });
  const cancel = clock.after(200, note("canceled by the first"));
  clock.after(9_000, note("not yet"));
  expect(clock.fireDue()).toBe(false);
  clock.moveTo(startOfTests + 1000);
  expect(clock.fireDue()).toBe(true);
  expect(fired).toEqual(["first", "later"]);
  expect(clock.fireDue()).toBe(true);
  expect(fired).toEqual(["first", "later", "set by the first"]);
  expect(clock.fireDue()).toBe(false);
  clock.moveTo(startOfTests);
  expect(clock.now()).toBe(startOfTests + 1000);
});

test("ids and chance are the same in every run, sorted, and never given again after a start", () => {
  const drawn = (starts: number) => {
    const ids = createSimulatedIds(7, starts);
    return { ids: Array.from({ length: 300 }, () => ids.next(startOfTests)), chance: [ids.random(), ids.random()] };
  };
  const first = drawn(1);
  expect(drawn(1)).toEqual(first);
  expect(first.ids.toSorted()).toEqual(first.ids);
  expect(first.ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set([...first.ids, ...drawn(2).ids]).size).toBe(600);
  for (const chance of first.chance) expect(chance).toBeWithin(0, 1);
});
