import { expect, test } from "bun:test";
import { CachedValue } from "../../src/platform/metrics/cached-value.ts";
import { FakeClock } from "../support/clock.ts";

function counting() {
  const clock = new FakeClock();
  let found = 0;
  const remembered = new CachedValue(async () => ++found, 10_000, clock);
  return { clock, remembered };
}

test("an answer holds for its time, and is looked for again afterwards", async () => {
  const { clock, remembered } = counting();
  expect(await remembered.get()).toBe(1);
  clock.advance(9_999);
  expect(await remembered.get()).toBe(1);
  clock.advance(1);
  expect(await remembered.get()).toBe(2);
});

test("all who ask at once wait for one look", async () => {
  const { remembered } = counting();
  expect(await Promise.all([remembered.get(), remembered.get(), remembered.get()])).toEqual([1, 1, 1]);
});

test("a clock that is set back does not make an answer hold longer", async () => {
  const { clock, remembered } = counting();
  await remembered.get();
  clock.set(clock.now() - 3_600_000);
  expect(await remembered.get()).toBe(2);
});

test("a failure is not remembered", async () => {
  let works = false;
  const find = async () => {
    if (!works) throw new Error("no");
    return "yes";
  };
  const remembered = new CachedValue(find, 10_000, new FakeClock());
  await expect(remembered.get()).rejects.toThrow("no");
  works = true;
  expect(await remembered.get()).toBe("yes");
});
