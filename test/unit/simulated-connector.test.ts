import { expect, test } from "bun:test";
import { actionTypes } from "../../src/features/network/action-kinds.ts";
import type { WatchedPerson } from "../../src/features/network/contact-model.ts";
import { calmNetwork, type SimulationRates } from "../../src/features/network/simulation.ts";
import { createSimulatedConnector } from "../../src/adapters/providers/network/simulated.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { accountOf, orderOf } from "../support/orders.ts";

const never = new AbortController().signal;
const hourMs = 3_600_000;
const account = accountOf({ connector: "simulated" });

function simulated(rates: Partial<SimulationRates> = {}, seed = 1) {
  const clock = new FakeClock();
  const connector = createSimulatedConnector({ seed, rates: { ...calmNetwork, ...rates } }, clock);
  const carryOut = async (overrides: Parameters<typeof orderOf>[0]) =>
    await connector.carryOut(orderOf(overrides), account, never);
  return { clock, connector, carryOut };
}

const profile = (name: string): string => `https://network.example/in/${name}`;
const watchedOf = (name: string, waitsFor: WatchedPerson["waitsFor"]): WatchedPerson => ({
  profileUrl: profile(name),
  profileKey: profile(name),
  waitsFor,
  since: startOfTests,
});

test.each([...actionTypes])("a calm network takes %s at once", async (actionType) => {
  expect(await simulated().carryOut({ actionType })).toMatchObject({ kind: "completed" });
});

test.each([
  ["refused-ada", { kind: "refused" }],
  ["unknown-ada", { kind: "unknown" }],
])("an action for %s ends as %j, each time", async (name, outcome) => {
  const { carryOut } = simulated();
  for (let n = 0; n < 2; n++) expect(await carryOut({ profileUrl: profile(name) })).toMatchObject(outcome);
});

test.each([
  ["busy-ada", { kind: "busy", retryAt: startOfTests + 60_000 }],
  ["limited-ada", { kind: "limited", retryAt: startOfTests + hourMs }],
  ["signedout-ada", { kind: "signedOut" }],
])("an action for %s ends as %j once, each action by itself", async (name, outcome) => {
  const { carryOut } = simulated();
  const [first, second] = [
    { jobId: "a", profileUrl: profile(name) },
    { jobId: "b", profileUrl: profile(name) },
  ];
  expect(await carryOut(first)).toMatchObject(outcome);
  expect(await carryOut(second)).toMatchObject(outcome);
  expect(await carryOut(first)).toMatchObject({ kind: "completed" });
  expect(await carryOut(second)).toMatchObject({ kind: "completed" });
});

test("a word counts in the path only, not in the name of the network", async () => {
  const profileUrl = "https://refused.example/in/ada";
  expect(await simulated().carryOut({ profileUrl })).toMatchObject({ kind: "completed" });
});

test("what is slow is handed on, and done half a minute later", async () => {
  const { clock, connector, carryOut } = simulated();
  const order = orderOf({ profileUrl: profile("slow-ada") });
  const handed = await carryOut(order);
  expect(handed).toMatchObject({ kind: "delegated", to: "vendor", checkAt: startOfTests + 30_000 });
  const reference = handed.kind === "delegated" ? (handed.reference ?? "") : "";
  expect(await connector.follow?.(reference, order, account, never)).toEqual(handed);
  clock.advance(30_000);
  expect(await connector.follow?.(reference, order, account, never)).toMatchObject({ kind: "completed" });
});

test("the rates hold, and the same seed draws the same", async () => {
  const rates = { refusals: 20, busy: 10, unknown: 5 };
  async function endings(seed: number): Promise<string[]> {
    const { carryOut } = simulated(rates, seed);
    const kinds: string[] = [];
    for (let n = 0; n < 2000; n++) kinds.push((await carryOut({ jobId: `job-${n}` })).kind);
    return kinds;
  }
  const kinds = await endings(1);
  const percentOf = (kind: string) => (100 * kinds.filter((each) => each === kind).length) / kinds.length;
  for (const [kind, rate] of [
    ["refused", 20],
    ["busy", 10],
    ["unknown", 5],
    ["completed", 65],
  ] as const)
    expect(Math.abs(percentOf(kind) - rate)).toBeLessThan(3);
  expect(await endings(1)).toEqual(kinds);
  expect(await endings(2)).not.toEqual(kinds);
});

test("what was busy by chance goes when it is tried again", async () => {
  const { carryOut } = simulated({ busy: 100 });
  expect(await carryOut({ jobId: "a" })).toMatchObject({ kind: "busy" });
  expect(await carryOut({ jobId: "a" })).toMatchObject({ kind: "completed" });
});

test("after so many of a kind in a day the network asks to slow down, until midnight", async () => {
  const { clock, carryOut } = simulated({ limitAfter: 2 });
  for (let n = 0; n < 2; n++) expect(await carryOut({})).toMatchObject({ kind: "completed" });
  const midnight = Date.UTC(2026, 0, 6);
  expect(await carryOut({})).toMatchObject({ kind: "limited", retryAt: midnight });
  expect(await carryOut({ actionType: "visitProfile" })).toMatchObject({ kind: "completed" });
  clock.advanceTo(midnight);
  expect(await carryOut({})).toMatchObject({ kind: "completed" });
});

test("some people accept and some answer, hours later, once and for all", async () => {
  const { clock, connector } = simulated({ acceptances: 40, replies: 20 });
  const people = Array.from({ length: 1000 }, (_, n) => `person-${n}`);
  const watched = people.flatMap((name) => [watchedOf(name, "acceptance"), watchedOf(name, "reply")]);
  const news = async () => (await connector.watch?.(watched, account, never)) ?? [];
  expect(await news()).toEqual([]);
  clock.advance(2 * hourMs - 1);
  expect(await news()).toEqual([]);
  clock.advance(48 * hourMs);
  const all = await news();
  const count = (kind: string) => all.filter((one) => one.kind === kind).length;
  expect(Math.abs(count("accepted") - 400)).toBeLessThan(60);
  expect(Math.abs(count("replied") - 200)).toBeLessThan(50);
  expect(all.every(({ at }) => at > startOfTests && at <= clock.now())).toBe(true);
  expect(await news()).toEqual(all);
});

test("words make people accept or answer for sure, within hours", async () => {
  const { clock, connector } = simulated();
  const watched = [
    watchedOf("ada-accepts", "acceptance"),
    watchedOf("ada-replies", "reply"),
    watchedOf("bob", "reply"),
  ];
  clock.advance(6 * hourMs);
  expect(await connector.watch?.(watched, account, never)).toMatchObject([
    { profileKey: profile("ada-accepts"), kind: "accepted" },
    { profileKey: profile("ada-replies"), kind: "replied", text: expect.stringMatching(/\w/) },
  ]);
});

test("looking at the connection tells none, pending, connected, and none after a withdrawal", async () => {
  const { clock, carryOut } = simulated();
  const profileUrl = profile("ada-accepts");
  const look = async () => await carryOut({ actionType: "checkConnectionStatus", profileUrl });
  expect(await look()).toMatchObject({ relation: "none" });
  expect(await carryOut({ profileUrl })).toMatchObject({ relation: "pending" });
  expect(await look()).toMatchObject({ relation: "pending" });
  clock.advance(6 * hourMs);
  expect(await look()).toMatchObject({ relation: "connected" });
  expect(await carryOut({ actionType: "withdrawConnectionRequest", profileUrl })).toMatchObject({ relation: "none" });
  expect(await look()).toMatchObject({ relation: "none" });
});

test("ten thousand orders leave nothing waiting", async () => {
  const { connector, clock } = simulated({ refusals: 1, limitAfter: 1_000_000 });
  const orders = Array.from({ length: 10_000 }, (_, n) => orderOf({ profileUrl: profile(`person-${n}`) }));
  for (const order of orders) await connector.carryOut(order, account, never);
  expect(clock.pending).toEqual([]);
});
