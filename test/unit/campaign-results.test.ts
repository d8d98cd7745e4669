import { describe, expect, test } from "bun:test";
import {
  differenceInterval,
  differencePValue,
  wilsonInterval,
  type Interval,
} from "../../src/features/campaigns/confidence.ts";
import { funnelParts } from "../../src/features/campaigns/funnel-view.ts";
import type { CampaignStep } from "../../src/features/campaigns/model.ts";
import { branchSides, compile } from "../../src/features/campaigns/program.ts";
import { compareVariants, winnerOf, type VariantCounts } from "../../src/features/campaigns/variant-results.ts";

const of = (hits: number, trials: number) => ({ hits, trials });
const rounded = ({ low, high }: Interval) => [low, high].map((end) => Math.round(end * 10_000) / 10_000);

describe("intervals and tests have the values of the literature", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table 1, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("Wilson: %d of %d", (hits, trials, low, high) => {
    expect(rounded(wilsonInterval(of(hits, trials), 0.95))).toEqual([low, high]);
  });

  // Newcombe, "Interval estimation for the difference between independent proportions" (1998), table II, method 10.
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])("Newcombe: %d of %d against %d of %d", (a, ofA, b, ofB, low, high) => {
    const interval = rounded(differenceInterval(of(a, ofA), of(b, ofB), 0.95));
    expect(interval[0]).toBeCloseTo(low, 3);
    expect(interval[1]).toBeCloseTo(high, 3);
  });

  test("the p-value of two proportions", () => {
    expect(differencePValue(of(56, 70), of(48, 80))).toBeCloseTo(0.00805, 4);
    expect(differencePValue(of(48, 80), of(56, 70))).toBeCloseTo(0.00805, 4);
    expect(differencePValue(of(10, 100), of(10, 100))).toBeCloseTo(1, 6);
  });

  test("nothing to compare is no difference", () => {
    expect(wilsonInterval(of(0, 0), 0.95)).toEqual({ low: 0, high: 1 });
    expect(differencePValue(of(0, 0), of(5, 10))).toBe(1);
    expect(differencePValue(of(0, 10), of(0, 10))).toBe(1);
    expect(differencePValue(of(10, 10), of(10, 10))).toBe(1);
  });
});

const variant = (name: string, replied: number, sent: number, weight: number | null = 1): VariantCounts => {
  return { name, weight, sent, connected: 0, replied, interested: 0 };
};

test("variants are compared with the best one", () => {
  const results = compareVariants([variant("A", 48, 80), variant("B", 56, 70)], "replied", 95);
  expect(results).toMatchObject([
    { name: "B", rate: 80, low: 69.18, high: 87.7, behind: null },
    { name: "A", rate: 60, behind: { points: 20, low: 5.24, high: 33.39, pValue: expect.closeTo(0.008, 3) } },
  ]);
  expect(compareVariants([], "replied", 95)).toEqual([]);
});

describe("a winner", () => {
  const rule = { outcome: "replied", minSent: 50, confidence: 95 } as const;

  test("is better than each other variant, with enough leads for each", () => {
    expect(winnerOf([variant("A", 48, 80), variant("B", 56, 70)], rule)).toBe("B");
    expect(winnerOf([variant("A", 48, 80), variant("B", 56, 70)], { ...rule, minSent: 71 })).toBeNull();
    expect(winnerOf([variant("A", 48, 80), variant("B", 56, 70)], { ...rule, confidence: 99.9 })).toBeNull();
    expect(winnerOf([variant("A", 50, 100), variant("B", 51, 100)], rule)).toBeNull();
  });

  test("of many must be the more certain, and only running variants count", () => {
    const close = [variant("A", 60, 100), variant("B", 45, 100), variant("C", 44, 100)];
    expect(winnerOf(close.slice(0, 2), rule)).toBe("A");
    expect(winnerOf(close, rule)).toBeNull();
    expect(winnerOf([variant("A", 60, 100), variant("B", 20, 100, 0), variant("C", 0, 5, null)], rule)).toBeNull();
    expect(winnerOf([...close.slice(0, 2), variant("C", 0, 5, 0)], rule)).toBe("A");
  });
});

const visit: CampaignStep = { type: "action", actionType: "visitProfile" };
const branch = (yes: CampaignStep[], no: CampaignStep[]): CampaignStep => ({
  ...{ type: "branch", condition: "connected", withinDays: 1 },
  yes,
  no,
});

test("the sides of branches cover the steps that are compiled for them", () => {
  const steps = [visit, branch([visit, branch([], [visit])], [visit]), visit, branch([], [])];
  expect(compile(steps)).toHaveLength(8);
  expect([...branchSides(steps)].toSorted(([a], [b]) => a - b)).toEqual([
    [1, { yes: { from: 2, end: 5 }, no: { from: 5, end: 6 } }],
    [3, { yes: { from: 4, end: 4 }, no: { from: 4, end: 5 } }],
    [7, { yes: { from: 8, end: 8 }, no: { from: 8, end: 8 } }],
  ]);
});

test("counters become stages, places, steps, and sides of branches", () => {
  const message: CampaignStep = { type: "action", actionType: "sendMessage", message: "Hello" };
  const invite: CampaignStep = { type: "action", actionType: "sendConnectionRequest" };
  const counter = (mark: string, step: number, enrollments: number, accountId = "a") => {
    return { campaignId: "c", mark, accountId, step, variant: "", enrollments };
  };
  const rows = [
    ...[counter("enrolled", -1, 6), counter("enrolled", -1, 4, "b"), counter("contacted", 0, 8)],
    ...[counter("invited", 0, 8), counter("connected", 0, 3), counter("yes", 1, 3), counter("no", 1, 2)],
    ...[counter("messaged", 2, 3), counter("replied", 2, 2), counter("active", 0, 2), counter("active", 1, 3)],
    ...[counter("stopped", 2, 2), counter("completed", 4, 3)],
  ];
  const steps = [invite, branch([message], [visit])];
  const { stages, rates, places, leads, steps: ofSteps, accounts } = funnelParts({ steps, firstStep: 0, winners: {} }, rows, [{ id: "a", name: "Ada" }]); // prettier-ignore
  expect(stages).toEqual({ enrolled: 10, contacted: 8, connected: 3, replied: 2, interested: 0 });
  expect(rates.connected).toEqual({ rate: 37.5, low: 13.68, high: 69.43 });
  expect(leads).toBe(10);
  expect(places).toEqual([
    { state: "active", step: 0, leads: 2 },
    { state: "active", step: 1, leads: 3 },
    { state: "stopped", step: 2, leads: 2 },
    { state: "completed", step: null, leads: 3 },
  ]);
  expect(ofSteps[0]).toMatchObject({ actionType: "sendConnectionRequest", active: 2, left: 8, sent: 8, connected: 3 });
  expect(ofSteps[1]).toMatchObject({
    ...{ condition: "connected", active: 3, left: 5 },
    yes: { taken: 3, connected: 0, replied: 2, interested: 0 },
    no: { taken: 2, connected: 0, replied: 0, interested: 0 },
  });
  expect(accounts.map(({ name, accountId, enrolled, replied }) => [name, accountId, enrolled, replied])).toEqual([
    ["Ada", "a", 6, 2],
    [null, "b", 4, 0],
  ]);
});
