import { expect, test } from "bun:test";
import { type Ids, systemIds } from "../../src/platform/base/clock.ts";
import { startOfTests } from "../support/clock.ts";
import { createIds } from "../support/ids.ts";

const sources: [string, () => Ids][] = [
  ["the system's", () => systemIds],
  ["a test's", () => createIds(3)],
];

test.each(sources)("%s ids are UUIDs of version 7 that sort by time, also within a millisecond", (_whose, create) => {
  const ids = create();
  const made = Array.from({ length: 20_000 }, (_, n) => ids.next(startOfTests + Math.floor(n / 1_000)));
  expect(new Set(made).size).toBe(made.length);
  expect(made.filter((id, index) => index > 0 && id < made[index - 1]!)).toEqual([]);
  for (const id of made.slice(0, 100))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(made[0]?.replaceAll("-", "").slice(0, 12)).toBe(startOfTests.toString(16).padStart(12, "0"));
});

test.each(sources)("%s chance lies from 0 up to 1", (_whose, create) => {
  const ids = create();
  for (let n = 0; n < 1000; n++) {
    const random = ids.random();
    expect(random >= 0 && random < 1).toBe(true);
  }
});

test.each(sources)("%s secret bytes are as many as asked for, and others each time", (_whose, create) => {
  const ids = create();
  const secrets = Array.from({ length: 50 }, () => Buffer.from(ids.secretBytes(28)).toString("hex"));
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(secret).toHaveLength(56);
});

test("a test's ids are the same for the same seed, and others for another", () => {
  const first = (seed: number) => createIds(seed).next(startOfTests);
  expect(first(1)).toBe(first(1));
  expect(first(2)).not.toBe(first(1));
});
