import { expect, test } from "bun:test";
import { signInAs } from "../support/page.ts";
import { instantOf, instantOfDay, withoutRequests } from "../../src/surfaces/dashboard/app/format.ts";
import { session } from "../../src/surfaces/dashboard/app/session.ts";

function inZone(timeZone: string): void {
  signInAs();
  session.value = { ...session.value!, user: { ...session.value!.user, timeZone } };
}

test.each([
  ["UTC", "2026-07-01T09:30", "2026-07-01T09:30:00.000Z"],
  ["America/New_York", "2026-07-01T09:30", "2026-07-01T13:30:00.000Z"],
  ["Asia/Kathmandu", "2026-01-01T00:15", "2025-12-31T18:30:00.000Z"],
  // One hour before and after the start of daylight saving time in Berlin.
  ["Europe/Berlin", "2026-03-29T01:30", "2026-03-29T00:30:00.000Z"],
  ["Europe/Berlin", "2026-03-29T03:30", "2026-03-29T01:30:00.000Z"],
  ["Pacific/Apia", "2026-01-01T12:00", "2025-12-31T23:00:00.000Z"],
])("in %s the clock shows %s at %s", (timeZone, local, instant) => {
  inZone(timeZone);
  expect(instantOf(local)).toBe(instant);
});

test("a day starts at midnight in the user's time zone, also across months; an invalid day is null", () => {
  inZone("America/New_York");
  expect(instantOfDay("2026-01-31")).toBe("2026-01-31T05:00:00.000Z");
  expect(instantOfDay("2026-01-31", 1)).toBe("2026-02-01T05:00:00.000Z");
  expect(instantOfDay("some day")).toBeNull();
});

test.each([
  [
    "The profile is on your do-not-contact list. If this is a mistake, remove the entry: DELETE /api/v2/suppressions/019c-44.",
    "The profile is on your do-not-contact list. If this is a mistake, remove the entry.",
  ],
  [
    "Check the profile, then report the outcome with POST /api/v2/network/actions/{jobId}/resolve.",
    "Check the profile, then report the outcome.",
  ],
  ["Not sent: the account was signed out at 10:30.", "Not sent: the account was signed out at 10:30."],
])("people read %p without the request of a program", (message, shown) => {
  expect(withoutRequests(message)).toBe(shown);
});
