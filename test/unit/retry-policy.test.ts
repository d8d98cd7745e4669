import { expect, test } from "bun:test";
import { retryDelayMs } from "../../src/platform/jobs/retry-policy.ts";

test.each([
  [1, 5_000],
  [2, 10_000],
  [3, 20_000],
  [10, 2_560_000],
  [11, 3_600_000],
  [1000, 3_600_000],
])("after attempt %d the wait is at least %d ms and at most half as much again", (attempt, ms) => {
  expect(retryDelayMs(attempt, 0)).toBe(ms);
  expect(retryDelayMs(attempt, 0.5)).toBe(ms * 1.25);
  expect(retryDelayMs(attempt, 0.999_999)).toBeLessThanOrEqual(ms * 1.5);
});

test("a job that was never attempted waits as after the first attempt", () => {
  expect(retryDelayMs(0, 0)).toBe(5_000);
});
