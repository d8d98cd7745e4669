import { afterEach, expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import type { ComparisonView, FunnelView } from "../../src/features/campaigns/funnel-model.ts";
import type { CampaignStep, CampaignView } from "../../src/features/campaigns/model.ts";
import { ComparePage } from "../../src/surfaces/dashboard/app/pages/campaigns/insight/compare-page.tsx";
import { everyDay } from "../../src/surfaces/dashboard/app/pages/campaigns/insight/days-chart.tsx";
import { Insight } from "../../src/surfaces/dashboard/app/pages/campaigns/insight/insight.tsx";
import { scaleEnd } from "../../src/surfaces/dashboard/app/pages/campaigns/insight/interval.tsx";
import { verdictOf } from "../../src/surfaces/dashboard/app/pages/campaigns/insight/variant-test.tsx";
import { navigate } from "../../src/surfaces/dashboard/app/router.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { button, signIn } from "../support/dashboard.ts";

afterEach(() => (session.value = null));

const steps: CampaignStep[] = [
  { type: "action", actionType: "sendConnectionRequest" },
  { type: "branch", condition: "connected", withinDays: 7, yes: [], no: [] },
];
const campaign: CampaignView = {
  ...{ id: "c1", name: "Spring", state: "running", steps, accountIds: ["a1"], winners: {}, version: 2, firstStep: 4 },
  settings: { stopOnReply: true, excludeOtherCampaigns: true, excludeContactedDays: null, allowOverlap: false },
  ...{ startedAt: null, createdAt: "2030-01-01T00:00:00.000Z", updatedAt: "2030-01-01T00:00:00.000Z" },
};
const rate = (percent: number) => ({ rate: percent, low: percent / 2, high: percent * 1.5 });
const stages = { enrolled: 1200, contacted: 1000, connected: 400, replied: 80, interested: 9 };
const rates = { connected: rate(40), replied: rate(8), interested: rate(0.9) };
const none = { connected: 0, replied: 0, interested: 0 };
const variant = { sent: 100, connected: 0, interested: 0, weight: 1 };
const lead = { ...variant, name: "B", replied: 40, rate: 40, low: 30.9, high: 49.8, behind: null };
const other = {
  ...{ ...variant, name: "A <b>", replied: 20, rate: 20, low: 13.3, high: 28.9 },
  behind: { points: 20, low: 7.3, high: 31.8, pValue: 0.002 },
};
const test1: FunnelView["tests"][number] = {
  ...{ step: 4, actionType: "sendMessage", outcome: "replied", confidence: 95, minSent: null, winner: null },
  variants: [lead, other],
};
const funnel: FunnelView = {
  ...{ campaignId: "c1", from: null, to: null, accountId: null, stages, rates, leads: 1200 },
  places: [
    { state: "active", step: 1, leads: 3 },
    { state: "stopped", step: 2, leads: 4 },
    { state: "active", step: 4, leads: 193 },
    { state: "completed", step: null, leads: 1000 },
  ],
  steps: [
    {
      ...{ step: 4, type: "action", actionType: "sendConnectionRequest", active: 193, stopped: 0, failed: 0 },
      ...{ left: 1000, sent: 1000, skipped: 0, ...none, connected: 400 },
    },
    {
      ...{ step: 5, type: "branch", condition: "connected", active: 0, stopped: 0, failed: 0, left: 1000, sent: 0 },
      ...{ skipped: 0, ...none, yes: { taken: 400, ...none }, no: { taken: 600, ...none } },
    },
  ],
  tests: [test1],
  accounts: [
    { accountId: "a1", name: "Ada", ...stages },
    { accountId: "a2", name: null, ...stages },
  ],
};
const day = { date: "2030-01-05", enrolled: 5, contacted: 4, connected: 3, replied: 2, interested: 1 };
const ok = (data: unknown) => ({ body: { success: true, data } });

async function shownInsight(view: FunnelView) {
  signIn(["network:read"]);
  answerWith({
    "GET /api/v2/campaigns/c1/funnel": () => ok(view),
    "GET /api/v2/campaigns/c1/series": () =>
      ok({ campaignId: "c1", from: null, to: null, accountId: null, days: [day] }),
  });
  const place = await show(<Insight campaign={campaign} path="/campaigns/c1" />);
  await change(() => Bun.sleep(0));
  return place;
}

const rowsOf = (place: Element, label: string) =>
  [...place.querySelectorAll(`[aria-label="${label}"] tr`)].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) => cell.textContent?.trim() ?? "").filter((text) => text !== ""),
  );

test("the funnel is a table with bars, rates, and confidence intervals", async () => {
  const place = await shownInsight(funnel);
  expect(rowsOf(place, "Funnel").slice(1)).toEqual([
    ["Enrolled", "1,200", "100%"],
    ["Contacted", "1,000", "83%"],
    ["Connected", "400", "33%", "40%20% to 60%"],
    ["Replied", "80", "6.7%", "8.0%4.0% to 12%"],
    ["Interested", "9", "0.8%", "0.9%0.5% to 1.4%"],
  ]);
  const bars = [...place.querySelectorAll(".funnel .bar")].map((bar) => bar.getAttribute("width"));
  expect(bars[0]).toBe("100%");
  expect(Number.parseFloat(bars[2]!)).toBeCloseTo(33.33, 1);
});

test("places sum up to all leads, with those in earlier steps", async () => {
  const place = await shownInsight(funnel);
  expect(rowsOf(place, "Steps").slice(1)).toEqual([
    ["1. Connection request", "193", "0", "1,000", "400", "0", "0"],
    ["2. If the lead has accepted the connection request", "0", "0", "1,000", "0", "0", "0"],
    ["Yes", "400", "0", "0", "0"],
    ["No", "600", "0", "0", "0"],
    ["Steps before the change", "3", "4"],
    ["Finished", "1,000"],
    ["All 1,200 leads", "1,196", "4"],
  ]);
});

test("variants are compared in words and numbers; names are text", async () => {
  const place = await shownInsight(funnel);
  const text = place.textContent ?? "";
  expect(text).toContain("B is ahead of A <b> by 20.0 points (7.3 to 31.8). That is unlikely to be chance.");
  expect(place.querySelector("b")).toBeNull();
  expect(rowsOf(place, "Accounts")[2]![0]).toBe("Removed account");
  const links = [...place.querySelectorAll("a[download]")].map((link) => link.getAttribute("href"));
  for (const href of links) expect(href).toContain("format=csv");
});

test("a campaign without leads says what will be shown", async () => {
  const place = await shownInsight({ ...funnel, leads: 0, places: [] });
  expect(place.textContent).toContain("No leads enrolled");
});

test("a verdict does not claim more than the numbers show", () => {
  const close = { ...other, behind: { points: 2, low: -6, high: 10, pValue: 0.6 } };
  expect(verdictOf({ ...test1, variants: [lead, close] })).toContain("That can be chance");
  expect(verdictOf({ ...test1, variants: [lead, { ...other, sent: 0 }] })).toBe("Not enough leads yet to compare.");
  expect(verdictOf({ ...test1, variants: [], minSent: 100 })).toContain("from 100 leads for each variant");
  expect(verdictOf({ ...test1, winner: "B" })).toBe("Decided: all further leads get B.");
});

test("days without events are shown as such, from a week to 120 days", () => {
  const dates = (days: (typeof day)[], from: string | null, until: string) =>
    everyDay(days, from, until).map(({ date, enrolled }) => `${date} ${enrolled}`);
  expect(dates([day], null, "2030-01-06")).toEqual([
    ...["2029-12-31 0", "2030-01-01 0", "2030-01-02 0", "2030-01-03 0", "2030-01-04 0", "2030-01-05 5", "2030-01-06 0"],
  ]);
  expect(dates([], "2030-01-01", "2030-01-30")).toHaveLength(30);
  expect(dates([day], null, "2031-01-06")).toHaveLength(120);
  expect([scaleEnd([]), scaleEnd([3.2]), scaleEnd([55]), scaleEnd([99])]).toEqual([1, 5, 60, 100]);
});

const compared = { campaignId: "c1", name: "Spring", state: "running", startedAt: null, ...stages, rates } as const;
const pageOf = (campaigns: ComparisonView["campaigns"], more: object = {}) => {
  return { from: null, to: null, campaigns, total: campaigns.length, limit: 20, nextCursor: null, ...more };
};

test("campaigns are compared side by side", async () => {
  signIn(["network:read"]);
  const view = pageOf([compared, { ...compared, campaignId: "c2", name: "New", contacted: 0 }]);
  answerWith({ "GET /api/v2/campaigns/compare": () => ok(view) });
  const place = await show(<ComparePage />);
  await change(() => Bun.sleep(0));
  expect(rowsOf(place, "Campaigns").slice(1)).toEqual([
    ["SpringRunning", "1,200", "1,000", "40% (400)20% to 60%", "8.0% (80)4.0% to 12%", "0.9% (9)0.5% to 1.4%"],
    ["NewRunning", "1,200", "0"],
  ]);
});

test("campaigns of several pages are chosen and compared", async () => {
  signIn(["network:read"]);
  navigate("/campaigns/compare");
  const older = { ...compared, campaignId: "c21", name: "Older" };
  answerWith({
    "GET /api/v2/campaigns/compare": () => ok(pageOf([compared], { total: 21, nextCursor: "next" })),
    "GET /api/v2/campaigns/compare?cursor=next": () => ok(pageOf([older], { total: 21 })),
    "GET /api/v2/campaigns/compare?ids=c1%2Cc21": () => ok(pageOf([compared, older])),
  });
  const place = await show(<ComparePage />);
  await change(() => Bun.sleep(0));
  const select = (name: string) =>
    change(() => place.querySelector<HTMLElement>(`[aria-label="Select ${name}"]`)!.click());
  const names = () =>
    rowsOf(place, "Campaigns")
      .slice(1)
      .map((row) => row.find((cell) => cell !== ""));
  expect(button(place, "Compare selected").hasAttribute("disabled")).toBe(true);
  await select("Spring");
  await change(() => button(place, "Next page").click());
  await change(() => Bun.sleep(0));
  expect(names()).toEqual(["OlderRunning"]);
  await select("Older");
  await change(() => button(place, "Compare 2 selected").click());
  await change(() => Bun.sleep(0));
  expect(names()).toEqual(["SpringRunning", "OlderRunning"]);
  expect(place.querySelector("a[download]")!.getAttribute("href")).toContain("ids=c1%2Cc21");
  await change(() => button(place, "Show all").click());
  await change(() => Bun.sleep(0));
  // Where the list was left.
  expect(names()).toEqual(["OlderRunning"]);
});
