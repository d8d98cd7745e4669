import { describe, expect, test } from "bun:test";
import { array, assert, constantFrom, integer, nat, property, record } from "fast-check";
import { windowMs } from "../../src/features/network/account-model.ts";
import { meters, type Meter } from "../../src/features/network/meter-model.ts";
import type { NetworkChange } from "../../src/features/network/decisions/changes.ts";
import { decideDue } from "../../src/features/network/decisions/due.ts";
import type { NetworkFacts, StoredAccount, StoredAction, Target } from "../../src/features/network/decisions/facts.ts";
import { usesOf, without, withUses } from "../../src/features/network/decisions/placement.ts";
import { decideSchedule } from "../../src/features/network/decisions/scheduling.ts";
import { limitsOf } from "../../src/features/network/governor/limits.ts";
import { MemoryTimeline } from "../../src/features/network/governor/plan.ts";
import type { Timeline } from "../../src/features/network/governor/slot.ts";
import { startOfTests } from "../support/clock.ts";
import { alwaysOpen, createFactories } from "../support/factories.ts";

const minute = 60_000;
const moments = array(integer({ min: 0, max: 40 }), { maxLength: 12 });

describe("a timeline", () => {
  test("with uses that are not stored yet answers as if they were", () => {
    assert(
      property(moments, moments, nat(45), integer({ min: 1, max: 15 }), (stored, added, at, n) => {
        const ascending = added.toSorted((a, b) => a - b);
        const seen = withUses(new Map([["all", ascending]]), timelineOf("all", stored));
        expectSame(seen, timelineOf("all", [...stored, ...added]), at, n);
      }),
    );
  });

  test("without the slot of an action answers as if it had none", () => {
    assert(
      property(moments, nat(40), nat(45), integer({ min: 1, max: 15 }), (others, own, at, n) => {
        const row = actionRow({ slotAt: own, used: 0 });
        expectSame(without(row, timelineOf("all", [...others, own])), timelineOf("all", others), at, n);
      }),
    );
  });
});

test("whatever falls due together and whenever, no cap is exceeded and no distance is too short", () => {
  const caps = record({ day: integer({ min: 1, max: 6 }), week: integer({ min: 1, max: 9 }) });
  const history = record({
    invites: caps,
    all: caps,
    minSeconds: constantFrom(0, 90, 3600),
    claims: array(record({ after: integer({ min: 1, max: 2_000 }), due: nat(8) }), { maxLength: 30 }),
  });
  assert(
    property(history, ({ invites, all, minSeconds, claims }) => {
      const world = createWorld({
        caps: { invites, all },
        spacing: { medianSeconds: 2 * minSeconds, minSeconds },
      });
      let now = startOfTests;
      for (const { after, due } of claims) {
        now += after * minute;
        const targets = Array.from({ length: due }, () => world.target({ slotAt: now }));
        world.apply(decideDue(targets, world.facts, now, now + minute).changes);
      }
      for (const meter of ["invites", "all"] as const) expectWithinCaps(world, meter);
      const sent = world.sent("all");
      for (const [index, at] of sent.entries())
        expect(at - (sent[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(minSeconds * 1000);
    }),
    { numRuns: 200 },
  );
});

test("what is scheduled is planned where the caps leave room", () => {
  assert(
    property(integer({ min: 1, max: 5 }), integer({ min: 1, max: 25 }), (day, count) => {
      const world = createWorld({ caps: { all: { day } }, spacing: { medianSeconds: 0, minSeconds: 0 } });
      const { account } = world.record;
      for (let n = 0; n < count; n++) {
        const request = world.make.actionRequest(account, { action: { actionType: "visitProfile" } });
        const { outcome, changes } = decideSchedule(request, world.facts);
        expect(outcome.kind).toBe("scheduled");
        world.apply(changes);
      }
      expect(world.planned("all")).toHaveLength(count);
      const timeline = timelineOf("all", world.planned("all"));
      for (const at of world.planned("all"))
        expect(timeline.between("all", at - windowMs.day, at).length).toBeLessThanOrEqual(day);
    }),
    { numRuns: 100 },
  );
});

function expectWithinCaps(world: ReturnType<typeof createWorld>, meter: Meter): void {
  const sent = timelineOf(meter, world.sent(meter));
  for (const at of world.sent(meter))
    for (const { windowMs: length, cap } of limitsOf(world.record.governed, meter, at))
      expect(sent.between(meter, at - length, at).length).toBeLessThanOrEqual(cap);
}

function expectSame(seen: Timeline, expected: Timeline, at: number, n: number): void {
  expect(seen.nthBefore("all", at, n)).toBe(expected.nthBefore("all", at, n));
  expect([...seen.between("all", at - 20, at)]).toEqual([...expected.between("all", at - 20, at)]);
  expect(seen.nthBefore("notes", at, n)).toBe(expected.nthBefore("notes", at, n));
}

function timelineOf(meter: Meter, times: readonly number[]): MemoryTimeline {
  const timeline = new MemoryTimeline();
  for (const at of times) timeline.add([meter], at);
  return timeline;
}

/** One account in memory: answers decisions and applies their changes, as far as slots and caps depend on them. */
function createWorld(settings: Partial<StoredAccount["account"]>) {
  const make = createFactories();
  const account = make.account("ada", { workingHours: alwaysOpen, sessions: null, jitterPercent: 0, ...settings });
  const record: StoredAccount = { seq: 1, account, governed: { ...account, coolDowns: [] }, needsPlan: false };
  const times = { sent: new Map<Meter, number[]>(), planned: new Map<Meter, number[]>() };
  const frontiers = new Map<Meter, number>();
  const note = (kind: keyof typeof times, uses: readonly Meter[], at: number): void => {
    for (const meter of uses) times[kind].set(meter, [...(times[kind].get(meter) ?? []), at]);
  };
  const timeline = (kinds: readonly (keyof typeof times)[]): MemoryTimeline => {
    const merged = new MemoryTimeline();
    for (const meter of meters)
      for (const kind of kinds) for (const at of times[kind].get(meter) ?? []) merged.add([meter], at);
    return merged;
  };
  const facts: NetworkFacts = {
    account: () => record,
    colleagues: () => [],
    accountOf: () => record,
    target: () => null,
    twins: () => [],
    contact: () => null,
    hasLead: () => true,
    hasMessage: () => false,
    hasReceived: () => false,
    hasSent: () => false,
    suppression: () => null,
    frontier: (_account, meter) => ({ frontierAt: frontiers.get(meter) ?? null, freeAt: null }),
    timeline: () => timeline(["sent", "planned"]),
    usedTimeline: () => timeline(["sent"]),
    isOriginRunning: () => true,
  };
  function apply(changes: readonly NetworkChange[]): void {
    for (const change of changes)
      if (change.kind === "send") note("sent", usesOf(change.row), change.at);
      else if (change.kind === "insert") note("planned", usesOf(change.action), change.action.slotAt!);
      else if (change.kind === "frontier") frontiers.set(change.meter, change.at);
  }
  return {
    make,
    record,
    facts,
    apply,
    sent: (meter: Meter) => times.sent.get(meter) ?? [],
    planned: (meter: Meter) => times.planned.get(meter) ?? [],
    target: (row: Partial<StoredAction>): Target => ({ row: actionRow(row), job: make.job("ada"), record }),
  };
}

function actionRow(fields: Partial<StoredAction>): StoredAction {
  const make = createFactories();
  const { accountId: _id, ...action } = make.actionRequest(make.account("ada")).action;
  return { ...action, seq: 1, account: 1, hasNote: false, used: 0, mayBeOpen: true, leadId: null, ...fields };
}
