import { expect, test } from "bun:test";
import {
  dayMs,
  funnelChange,
  marksOf,
  type CountedEnrollment,
  type Mark,
} from "../../src/features/campaigns/funnel-marks.ts";
import { enrollmentsAfter, type NewsEnrollment } from "../../src/features/campaigns/origin.ts";
import { creditedStep, extended, exitOf, type Trail } from "../../src/features/campaigns/trail.ts";
import { decideInterest } from "../../src/features/campaigns/interest.ts";
import { startOfTests as now } from "../support/clock.ts";

const today = Math.floor(now / dayMs);

function enrollmentOf(overrides: Partial<NewsEnrollment> = {}): NewsEnrollment {
  return {
    ...{ id: "e", jobId: null, campaignId: "campaign", accountId: "account", state: "active", atStep: 0 },
    ...{ createdAt: now, connectedAt: null, repliedAt: null, interestedAt: null, trail: [], variants: {} },
    ...overrides,
  };
}

const markOf = (mark: string, enrollment: CountedEnrollment): Partial<Mark> | undefined =>
  marksOf(enrollment).find((each) => each.mark === mark);

test("an enrollment has one place, and each stage that it reached", () => {
  const trail: Trail = [[0, now, "done"], [1, now + dayMs, "waited"], [2, now + dayMs, "invited"]]; // prettier-ignore
  const variants = { 2: "B" };
  const enrollment = enrollmentOf({ atStep: 3, trail, variants, connectedAt: now + 2 * dayMs });
  expect(marksOf(enrollment)).toEqual([
    { mark: "active", day: 0, step: 3, variant: "" },
    { mark: "enrolled", day: today, step: -1, variant: "" },
    { mark: "done", day: today, step: 0, variant: "" },
    { mark: "waited", day: today + 1, step: 1, variant: "" },
    { mark: "invited", day: today + 1, step: 2, variant: "B" },
    { mark: "contacted", day: today + 1, step: 2, variant: "B" },
    { mark: "connected", day: today + 2, step: 2, variant: "B" },
  ]);
});

test("a reply is credited to the last text before it, an acceptance to the last request", () => {
  const trail: Trail = [[0, now, "invited"], [1, now + 10, "messaged"], [2, now + 20, "messaged"]]; // prettier-ignore
  expect([now + 5, now + 10, now + 15, now + 99].map((at) => creditedStep(trail, at, "reply"))).toEqual([0, 1, 1, 2]);
  expect(creditedStep(trail, now + 99, "acceptance")).toBe(0);
  // The clock of the network is behind.
  expect(creditedStep(trail, now - 5, "reply")).toBe(0);
  expect(creditedStep([[0, now, "done"]], now, "reply")).toBeNull();
});

test("interest counts on its day, and for the text that got the reply", () => {
  const trail: Trail = [[0, now, "messaged"], [1, now + dayMs, "messaged"]]; // prettier-ignore
  const enrollment = enrollmentOf({ trail, repliedAt: now + 1, interestedAt: now + 2 * dayMs });
  expect(markOf("interested", enrollment)).toEqual({ mark: "interested", day: today + 2, step: 0, variant: "" });
});

test("a change of an enrollment changes only the counters that differ", () => {
  const before = enrollmentOf();
  const counter = { campaignId: "campaign", accountId: "account", day: 0, variant: "" };
  expect(funnelChange(before, enrollmentOf({ atStep: 2 }))).toEqual([
    { ...counter, mark: "active", step: 0, change: -1 },
    { ...counter, mark: "active", step: 2, change: 1 },
  ]);
  expect(funnelChange(before, before)).toEqual([]);
  expect(funnelChange(before, null).map(({ change }) => change)).toEqual([-1, -1]);
});

test("a step is left once, by an action that was performed or not needed", () => {
  expect(extended([[0, now, "done"]], [0, now + 1, "messaged"], [1, now + 1, "yes"])).toEqual([
    [0, now, "done"],
    [1, now + 1, "yes"],
  ]);
  expect(exitOf("sendInMail", "completed")).toBe("messaged");
  expect(exitOf("sendConnectionRequest", "completed")).toBe("invited");
  expect(exitOf("commentPost", "completed")).toBe("done");
  expect(exitOf("sendMessage", "skipped")).toBe("skipped");
  for (const state of ["failed", "canceled", "unknown"] as const) expect(exitOf("sendMessage", state)).toBeNull();
});

test("an action that ends after its enrollment still counts as a contact", () => {
  const news = { kind: "actionEnded", enrollmentId: "e", step: 4, actionType: "sendMessage" } as const;
  const ended = { ...news, state: "completed", carriedOutAt: now + 1, at: now + 2 } as const;
  const { updates, funnel } = enrollmentsAfter(ended, [enrollmentOf({ state: "stopped" })]);
  expect(updates).toEqual([{ id: "e", values: { trail: [[4, now + 1, "messaged"]] }, isNewVersion: false }]);
  expect(funnel.map(({ mark, step, change }) => [mark, step, change])).toEqual([
    ["messaged", 4, 1],
    ["contacted", 4, 1],
  ]);
});

test("a reply after the last step counts for the campaign that wrote last, once", () => {
  const reply = { kind: "person", news: "replied", accountId: "account", profileKey: "p", at: now + 9 } as const;
  const last = { ...reply, lastCampaignId: "campaign", now: now + 10 };
  const trail: Trail = [[0, now, "messaged"]];
  const done = enrollmentOf({ state: "completed", trail });
  expect(enrollmentsAfter(last, [done]).funnel).toMatchObject([{ mark: "replied", step: 0, change: 1 }]);
  expect(enrollmentsAfter({ ...last, lastCampaignId: "another" }, [done]).funnel).toEqual([]);
  expect(enrollmentsAfter(last, [{ ...done, repliedAt: now + 1 }]).funnel).toEqual([]);
});

test("interest of a person who was never contacted counts for no campaign", () => {
  expect(decideInterest([enrollmentOf()], now)).toEqual({ ids: [], values: { interestedAt: now }, funnel: [] });
});
