import { afterAll, expect, test } from "bun:test";
import type { AccountUpdate } from "../../src/features/network/account-model.ts";
import { startService, succeeded } from "../support/service.ts";
import { accountOf, changeAccount, errorPaths } from "../support/network-api.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

test("an account is shown with its hours, and changed field by field", async () => {
  const user = await service.user();
  const account = await accountOf(user);
  const day = [{ from: "09:00", to: "18:00" }];
  expect(account).toMatchObject({
    name: "default",
    connector: "manual",
    timeZone: "UTC",
    tier: "premium",
    caps: {},
    warmUp: { perDay: 5, addPerDay: 3 },
    spacing: { medianSeconds: 240, minSeconds: 90 },
    sessions: { minMinutes: 45, maxMinutes: 60, minBreakMinutes: 10, maxBreakMinutes: 20 },
    jitterPercent: 15,
    state: "active",
    requiresApproval: false,
    withdrawAfterDays: null,
  });
  expect(account.workingHours).toEqual({
    monday: day,
    tuesday: day,
    wednesday: day,
    thursday: day,
    friday: day,
    saturday: [],
    sunday: [],
  });
  const change = {
    name: "mine",
    connector: "simulated",
    timeZone: "Europe/Paris",
    tier: "free",
    caps: { invites: { day: 3, week: null }, all: { month: 500 } },
    warmUp: null,
    spacing: { medianSeconds: 20, minSeconds: 10 },
    sessions: null,
    jitterPercent: 0,
    requiresApproval: true,
    withdrawAfterDays: 30,
    workingHours: {
      sunday: [
        { from: "20:00", to: "24:00" },
        { from: "08:30", to: "10:00" },
      ],
    },
  } satisfies AccountUpdate;
  const changed = succeeded(await changeAccount(user, change)).data;
  const sunday = [
    { from: "08:30", to: "10:00" },
    { from: "20:00", to: "24:00" },
  ];
  expect(changed).toEqual({
    ...account,
    ...change,
    workingHours: { ...account.workingHours, sunday },
    updatedAt: changed.updatedAt,
  });
  expect(await accountOf(user)).toEqual(changed);
});

test.each([
  ["an unknown connector", { connector: "magic" }, "connector"],
  ["an unknown time zone", { timeZone: "Moon" }, "timeZone"],
  [
    "a time that does not exist",
    { workingHours: { monday: [{ from: "25:00", to: "24:00" }] } },
    "workingHours.monday.0.from",
  ],
  [
    "a span that ends before it begins",
    { workingHours: { monday: [{ from: "10:00", to: "09:00" }] } },
    "workingHours.monday",
  ],
  ["an empty span", { workingHours: { friday: [{ from: "10:00", to: "10:00" }] } }, "workingHours.friday"],
  [
    "spans that overlap",
    {
      workingHours: {
        monday: [
          { from: "09:00", to: "11:00" },
          { from: "10:00", to: "12:00" },
        ],
      },
    },
    "workingHours.monday",
  ],
  ["a span without an end", { workingHours: { monday: [{ from: "09:00" }] } }, "workingHours.monday.0.to"],
  ["a distance that is negative", { spacing: { medianSeconds: 60, minSeconds: -1 } }, "spacing.minSeconds"],
  ["distances that cross", { spacing: { medianSeconds: 60, minSeconds: 61 } }, "spacing.medianSeconds"],
  [
    "sessions that cross",
    { sessions: { minMinutes: 9, maxMinutes: 8, minBreakMinutes: 1, maxBreakMinutes: 2 } },
    "sessions.maxMinutes",
  ],
  ["a cap that the network does not bear", { caps: { invites: { day: 101 } } }, "caps.invites.day"],
  ["a cap that is negative", { caps: { all: { week: -1 } } }, "caps.all.week"],
  ["a warm-up from no day", { warmUp: { perDay: 1, addPerDay: 1, startedAt: "soon" } }, "warmUp"],
  ["too much jitter", { jitterPercent: 51 }, "jitterPercent"],
  ["a state that only the network sets", { state: "needsReconnect" }, "state"],
  ["an offset for a time zone", { timeZone: "+02:00" }, "timeZone"],
  ["a connector whose risk nobody accepted", { connector: "worker" }, "connector"],
  ["an empty name", { name: "" }, "name"],
])("an account with %s is refused and stays as it is", async (_what, change, wrong) => {
  const user = await service.user();
  const before = await accountOf(user);
  const refused = await changeAccount(user, change as AccountUpdate);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([wrong]);
  expect(await accountOf(user)).toEqual(before);
});
