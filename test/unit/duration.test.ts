import { expect, test } from "bun:test";
import { durationText } from "../../src/platform/base/duration.ts";

const minute = 60_000;
const hour = 60 * minute;

test.each([
  [0, "less than a minute"],
  [59_999, "less than a minute"],
  [minute, "about 1 minute"],
  [90_000, "about 2 minutes"],
  [hour - 1, "about 1 hour"],
  [6 * hour, "about 6 hours"],
  [21_000_000, "about 6 hours"],
  [24 * hour, "about 1 day"],
  [72 * hour, "about 3 days"],
])("%d ms are %p", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
