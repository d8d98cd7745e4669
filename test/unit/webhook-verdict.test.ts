import { describe, expect, test } from "bun:test";
import type { PostOutcome } from "../../src/features/webhooks/connector.ts";
import { maxTries, retryDelays, verdictOf, type AttemptResult } from "../../src/features/webhooks/verdict.ts";
import { startOfTests as now } from "../support/clock.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const answered = (status: number, retryAt: number | null = null): PostOutcome => ({
  kind: "answered",
  status,
  retryAt,
  excerpt: "",
});

function verdict(outcome: PostOutcome, change: Partial<AttemptResult> = {}) {
  const endpoint = { failures: 0, failingSince: null };
  return verdictOf({
    outcome,
    tries: 1,
    isOnDemand: false,
    endpoint,
    disableAfterMs: 5 * day,
    now,
    random: 0,
    ...change,
  });
}

test("the schedule is that of Standard Webhooks: ten attempts within 76 hours", () => {
  expect([0, ...retryDelays]).toEqual([
    ...[0, 5 * second, 5 * minute, 30 * minute],
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
  ]);
  const after = retryDelays.map((_, index) => verdict(answered(500), { tries: index + 1 }).nextAt! - now);
  expect(after).toEqual(retryDelays);
  expect(verdict(answered(500), { tries: maxTries })).toMatchObject({ state: "failed", nextAt: null });
});

test("chance makes a wait up to a fifth longer, never shorter", () => {
  const waits = [0, 0.5, 0.999].map((random) => verdict(answered(500), { tries: 3, random }).nextAt! - now);
  expect(waits).toEqual([30 * minute, 33 * minute, Math.round(30 * minute * 1.1998)]);
});

test.each([200, 201, 202, 204, 299])("%i is a delivery", (status) => {
  expect(verdict(answered(status))).toEqual({
    ...{ state: "delivered", nextAt: null, error: null },
    ...{ backoffUntil: 0, disableReason: null },
  });
});

test.each([100, 300, 301, 302, 307, 400, 401, 404, 409, 429, 500, 503])("%i is tried again", (status) => {
  expect(verdict(answered(status))).toMatchObject({ state: "pending", disableReason: null });
  expect(verdict(answered(status)).error).toContain(`${status}`);
});

test("no answer is tried again, with the reason", () => {
  expect(verdict({ kind: "failed", reason: "It can't be reached." })).toMatchObject({
    state: "pending",
    error: "It can't be reached.",
  });
});

test("410 ends the delivery and turns the endpoint off", () => {
  expect(verdict(answered(410))).toMatchObject({ state: "failed", nextAt: null });
  expect(verdict(answered(410)).disableReason).toContain("410");
});

describe("Retry-After", () => {
  test("is waited for, by the delivery and by its endpoint", () => {
    const { nextAt, backoffUntil } = verdict(answered(429, now + 2 * minute));
    expect([nextAt, backoffUntil]).toEqual([now + 2 * minute, now + 2 * minute]);
  });

  test("shortens no wait of the schedule", () => {
    expect(verdict(answered(503, now + second), { tries: 2 }).nextAt).toBe(now + 5 * minute);
  });

  test("of more than a day is not believed", () => {
    expect(verdict(answered(503, now + 30 * day)).nextAt).toBe(now + day);
  });
});

describe("an endpoint that fails", () => {
  const restAfter = (failures: number, outcome = answered(500)) =>
    verdict(outcome, { endpoint: { failures: failures - 1, failingSince: now } }).backoffUntil - now;

  test("is left alone from the third time on, for longer and longer, at most five minutes", () => {
    expect([1, 2, 3, 4, 5, 11, 12, 1000].map((failures) => restAfter(failures))).toEqual([
      ...[0, 0, second, 2 * second, 4 * second],
      ...[256 * second, 5 * minute, 5 * minute],
    ]);
  });

  test("is left alone for a while at once when it asks for less", () => {
    for (const status of [429, 502, 503, 504]) expect(restAfter(1, answered(status))).toBe(10 * second);
  });

  test("for days is turned off; never, when nobody wants that", () => {
    const endpoint = { failures: 500, failingSince: now - 5 * day };
    expect(verdict(answered(500), { endpoint }).disableReason).toContain("5 days");
    expect(
      verdict(answered(500), { endpoint: { ...endpoint, failingSince: now - 5 * day + 1 } }).disableReason,
    ).toBeNull();
    expect(verdict(answered(500), { endpoint, disableAfterMs: 0 }).disableReason).toBeNull();
    expect(verdict(answered(200), { endpoint }).disableReason).toBeNull();
  });
});

test("an attempt that somebody asked for makes the endpoint rest no longer than the receiver asks for", () => {
  const endpoint = { failures: 12, failingSince: now - hour };
  expect(verdict(answered(500), { endpoint, isOnDemand: true }).backoffUntil).toBe(now);
  expect(verdict(answered(500, now + hour), { endpoint, isOnDemand: true }).backoffUntil).toBe(now + hour);
  expect(verdict(answered(500), { endpoint }).backoffUntil).toBeGreaterThan(now + minute);
});
