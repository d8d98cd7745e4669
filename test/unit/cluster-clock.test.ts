import { expect, test } from "bun:test";
import { ClusterClock } from "../../src/platform/cluster/cluster-clock.ts";
import { FakeClock } from "../support/clock.ts";

const databaseTime = Date.UTC(2026, 0, 5, 10);

/** A database whose clock is `aheadMs` ahead of the monotonic clock plus `databaseTime`, and requests that take a time. */
function setUp() {
  const world = { monotonic: 1_000, aheadMs: 0, thereMs: 1, backMs: 1 };
  const system = new FakeClock();
  const clock = new ClusterClock(system, () => world.monotonic);
  const sample = () =>
    clock.sample(async () => {
      world.monotonic += world.thereMs;
      const at = databaseTime + world.monotonic + world.aheadMs;
      world.monotonic += world.backMs;
      return at;
    });
  const error = () => clock.now() - (databaseTime + world.monotonic + world.aheadMs);
  return { world, system, clock, sample, error };
}

test("the time is that of the database, whatever the clock of the machine shows", async () => {
  const { clock, sample, error, system } = setUp();
  await sample();
  expect(error()).toBe(0);
  system.advance(86_400_000);
  expect(error()).toBe(0);
  expect(clock.systemAheadMs()).toBe(system.now() - clock.now());
});

test("a slow sample does not replace a faster one", async () => {
  const { world, sample, error } = setUp();
  await sample();
  Object.assign(world, { thereMs: 400, backMs: 0 });
  await sample();
  expect(error()).toBe(0);
});

test("a change of the clock of the database is followed at once, even by a slower sample", async () => {
  const { world, sample, error } = setUp();
  for (let n = 0; n < 8; n++) await sample();
  Object.assign(world, { aheadMs: 5_000, thereMs: 10, backMs: 10 });
  await sample();
  expect(error()).toBe(0);
});

test("the time is unknown before the first sample, and a minute after the last", async () => {
  const { world, clock, sample } = setUp();
  expect(clock.isKnown).toBe(false);
  await sample();
  world.monotonic += 59_999;
  expect(clock.isKnown).toBe(true);
  world.monotonic += 1;
  expect(clock.isKnown).toBe(false);
  await sample();
  expect(clock.isKnown).toBe(true);
});

test("a sample that fails changes nothing", async () => {
  const { clock, sample, error } = setUp();
  await sample();
  await expect(clock.sample(() => Promise.reject(new Error("no connection")))).rejects.toThrow();
  expect(error()).toBe(0);
});
