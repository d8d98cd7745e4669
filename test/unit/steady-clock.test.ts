import { expect, test } from "bun:test";
import { SteadyClock } from "../../src/platform/base/clock.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { seeded } from "../support/random.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([1, second, 90 * second, 40 * minute, hour, 25 * hour, 400 * day])(
  "a clock that goes back %d ms and recovers never shows an earlier time, and is right again at once",
  (step) => {
    const system = new FakeClock();
    const clock = new SteadyClock(system);
    system.advance(hour);
    const before = clock.now();
    system.set(before - step);
    expect(clock.now()).toBe(before);
    expect(clock.behindMs()).toBe(step);
    system.set(before + minute);
    expect(clock.now()).toBe(before + minute);
    expect(clock.behindMs()).toBe(0);
  },
);

test("while the clock is behind, time runs slowly, until the system clock has caught up", () => {
  const system = new FakeClock();
  const clock = new SteadyClock(system);
  system.set(startOfTests - hour);
  clock.now();
  for (let seconds = 0; seconds < 3_600; seconds++) {
    system.advance(second);
    clock.now();
  }
  expect(clock.now()).toBe(startOfTests + hour / 10);
  while (clock.behindMs() > 0) system.advance(second);
  expect(system.now()).toBeLessThanOrEqual(startOfTests + hour / 9 + second);
});

test("a jump of a clock that stays behind is not followed", () => {
  const system = new FakeClock();
  const clock = new SteadyClock(system);
  system.set(startOfTests - 25 * hour);
  clock.now();
  system.set(startOfTests - hour);
  expect(clock.now()).toBe(startOfTests + second);
});

test("a process continues where the one before it was", () => {
  const system = new FakeClock();
  const clock = new SteadyClock(system);
  clock.raiseTo(startOfTests + hour);
  expect(clock.now()).toBe(startOfTests + hour);
  expect(clock.behindMs()).toBe(hour);
  clock.raiseTo(startOfTests);
  expect(clock.now()).toBe(startOfTests + hour);
});

test("whatever the system clock does, time never goes back and never runs ahead of what it has shown and what has passed", () => {
  const random = seeded(7);
  const system = new FakeClock();
  const clock = new SteadyClock(system);
  let highest = startOfTests;
  let passed = 0;
  let last = clock.now();
  for (let step = 0; step < 20_000; step++) {
    const change = random();
    if (change < 0.02) system.set(system.now() + Math.floor((random() - 0.5) * 4 * day));
    else {
      const ms = Math.floor(random() * 2 * second);
      system.advance(ms);
      passed += ms;
    }
    highest = Math.max(highest, system.now());
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    expect(now).toBeGreaterThanOrEqual(system.now());
    expect(now).toBeLessThanOrEqual(highest + passed + 20_000 * second);
    last = now;
  }
});
