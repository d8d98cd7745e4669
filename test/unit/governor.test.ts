import { describe, expect, test } from "bun:test";
import { windowMs, windows } from "../../src/features/network/account-model.ts";
import { meters, tiers } from "../../src/features/network/meter-model.ts";
import { normalQuantile } from "../../src/features/network/governor/draw.ts";
import { ceilingOf, limitsOf, steadyCap } from "../../src/features/network/governor/limits.ts";
import { MemoryTimeline, plan } from "../../src/features/network/governor/plan.ts";
import {
  earliestSlot,
  gapOf,
  holdAt,
  type Governed,
  type SlotRequest,
} from "../../src/features/network/governor/slot.ts";
import { startOfTests } from "../support/clock.ts";
import { alwaysOpen } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";
import { accountOf } from "../support/orders.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = startOfTests;

function governed(overrides: Partial<Governed> = {}): Governed {
  const calm = { workingHours: alwaysOpen, sessions: null, jitterPercent: 0, coolDowns: [] };
  return {
    ...accountOf({ connector: "manual" }),
    ...calm,
    spacing: { medianSeconds: 60, minSeconds: 60 },
    ...overrides,
  };
}

describe("caps", () => {
  test.each(tiers)("of a %s account are never above what the network bears, whatever is asked for", (tier) => {
    for (const meter of meters)
      for (const window of windows) {
        const ceiling = ceilingOf(tier, meter, window);
        for (const asked of [undefined, null, 0, 1, 1_000_000]) {
          const caps = asked === undefined ? {} : { [meter]: { [window]: asked } };
          const cap = steadyCap(governed({ tier, caps }), meter, window);
          if (ceiling !== null) expect(cap).toBeLessThanOrEqual(ceiling);
          if (asked === 0) expect(cap).toBe(0);
        }
      }
  });

  test("of a simulated account are as asked for, because nothing reaches the network", () => {
    const account = governed({ connector: "simulated", caps: { invites: { day: 5000 } } });
    expect(steadyCap(account, "invites", "day")).toBe(5000);
  });

  test("vary from day to day by the jitter at most, are never above the cap, nor nothing, and are the same when asked again", () => {
    const account = governed({ jitterPercent: 30, caps: { messages: { day: 40 }, invites: { day: 1 } } });
    const capOn = (n: number, meter: "messages" | "invites") => limitsOf(account, meter, now + n * day)[0]!.cap;
    const caps = Array.from({ length: 200 }, (_, n) => capOn(n, "messages"));
    expect(caps).toEqual(Array.from({ length: 200 }, (_, n) => capOn(n, "messages")));
    expect([Math.min(...caps), Math.max(...caps)]).toEqual([28, 40]);
    expect(new Set(caps).size).toBeGreaterThan(8);
    expect(capOn(3, "invites")).toBe(1);
  });

  test("of a warm-up grow day by day at midnight of the account until the cap is reached", () => {
    const warmUp = { perDay: 2, addPerDay: 3, startedAt: Date.UTC(2026, 0, 5, 22) };
    const account = governed({ timeZone: "Europe/Berlin", warmUp, caps: { visits: { day: 9 } } });
    const at = (text: string) =>
      limitsOf(account, "visits", Date.parse(text)).map(({ cap, reason }) => [cap, reason])[0];
    expect(at("2026-01-04T12:00:00Z")).toEqual([2, "warmup"]);
    expect(at("2026-01-05T22:59:59Z")).toEqual([2, "warmup"]);
    expect(at("2026-01-05T23:00:00Z")).toEqual([5, "warmup"]);
    expect(at("2026-01-07T12:00:00Z")).toEqual([8, "warmup"]);
    expect(at("2026-01-08T12:00:00Z")).toEqual([9, "dailyLimit"]);
    expect(limitsOf(account, "all", now).some(({ reason }) => reason === "warmup")).toBe(false);
  });
});

describe("distances", () => {
  test("are drawn from a log-normal distribution around the median, never under the minimum nor over four medians", () => {
    const spacing = { medianSeconds: 240, minSeconds: 90 };
    const gaps = Array.from({ length: 9999 }, (_, n) => gapOf(spacing, (n + 1) / 10_000) / 1000);
    expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps);
    expect(gaps[4999]).toBeCloseTo(240, 3);
    expect(Math.min(...gaps)).toBe(90);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(960);
    expect(gaps.filter((gap) => gap >= 120 && gap <= 480).length / gaps.length).toBeCloseTo(0.8, 2);
    for (const draw of [0, 1]) expect(gapOf(spacing, draw)).toBeWithin(90_000, 960_001);
  });

  test("follow the normal distribution", () => {
    const known = [0.5, 0, 0.8413447, 1, 0.0227501, -2, 0.9986501, 3, 0.001, -3.090232];
    for (let n = 0; n < known.length; n += 2) expect(normalQuantile(known[n]!)).toBeCloseTo(known[n + 1]!, 5);
  });
});

describe("slots", () => {
  test("a rest holds its own meter until it ends, and no other", () => {
    const coolDowns = [{ meter: "invites", until: now + 5 * hour, level: 1, reason: "", since: now }] as const;
    const account = governed({ coolDowns });
    const hold = (uses: SlotRequest["uses"]) =>
      holdAt({ account, uses, notBefore: now, gapMs: 0 }, now, new MemoryTimeline());
    expect(hold(["invites", "notes", "all"])).toEqual({ until: now + 5 * hour, reason: "cooldown" });
    expect(hold(["messages", "all"])).toBeNull();
  });

  test("every moment is the first one free, by a walk in small steps", () => {
    const dice = createDice(41);
    for (let round = 0; round < 15; round++) {
      const account = governed({
        caps: { visits: { day: dice.between(1, 5) }, all: { day: dice.between(2, 6), week: dice.between(6, 12) } },
        workingHours: alwaysOpen.map(() => [{ from: 60 * dice.below(12), to: 60 * dice.between(12, 24) }]),
        spacing: { medianSeconds: 600, minSeconds: 600 },
      });
      const timeline = new MemoryTimeline();
      for (let n = 0; n < 12; n++)
        timeline.add(["visits", "all"], now - 3 * day + dice.below(5 * 24 * 6) * 10 * minute);
      const request: SlotRequest = { account, uses: ["visits", "all"], notBefore: now, gapMs: 10 * minute };
      const slot = earliestSlot(request, timeline, 10_000);
      let at = now;
      while (holdAt(request, at, timeline) !== null && at < now + 30 * day) at += minute;
      expect(slot.at).not.toBeNull();
      // A window is left a millisecond behind the minute at most.
      expect(Math.abs(slot.at! - at)).toBeLessThanOrEqual(minute);
      expect(holdAt(request, slot.at!, timeline)).toBeNull();
    }
  });

  test("a plan places behind those of its own kind only, and one that asks for later holds nobody back", () => {
    const account = governed({ caps: { notes: { month: 1 } } });
    const timeline = new MemoryTimeline();
    const note = { uses: ["invites", "notes", "all"], notBefore: now, draw: 0.5 } as const;
    const invite = { uses: ["invites", "all"], notBefore: now, draw: 0.5 } as const;
    const later = { ...invite, notBefore: now + 3 * hour };
    const turns = [...plan(account, timeline, [note, note, later, invite, invite], now)];
    expect(turns.map(({ at, reason }) => [(at! - now) / minute, reason])).toEqual([
      [0, "queued"],
      [30 * 24 * 60, "monthlyNoteLimit"],
      [180, "notBefore"],
      [1, "spacing"],
      [2, "queued"],
    ]);
  });

  test("a timeline in memory counts as a list does", () => {
    const dice = createDice(42);
    const timeline = new MemoryTimeline();
    const list: number[] = [];
    for (let n = 0; n < 300; n++) {
      const at = dice.below(200);
      timeline.add(["all"], at);
      list.push(at);
      const sorted = list.toSorted((a, b) => a - b);
      const [from, to, nth] = [dice.below(220), dice.below(220), dice.between(1, 20)];
      expect(timeline.between("all", from, to)).toEqual(sorted.filter((moment) => moment > from && moment <= to));
      expect(timeline.nthBefore("all", to, nth)).toBe(sorted.filter((moment) => moment <= to).at(-nth) ?? null);
    }
  });

  test("windows are as long as they are called", () => {
    expect(windowMs).toEqual({ day, week: 7 * day, month: 30 * day });
  });
});
