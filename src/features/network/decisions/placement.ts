import type { Meter } from "../meter-model.ts";
import { metersOf } from "../action-kinds.ts";
import type { PendingReason } from "../action-model.ts";
import {
  earliestSlot,
  gapOf,
  holdAt,
  type Hold,
  type Never,
  type Slot,
  type SlotRequest,
  type Timeline,
} from "../governor/slot.ts";
import { narrowestOf, reasonInQueue } from "../governor/plan.ts";
import type { NetworkChange } from "./changes.ts";
import type { NetworkFacts, StoredAccount, StoredAction } from "./facts.ts";

/** What the slot of an action depends on. */
export type Placed = Pick<StoredAction, "actionType" | "message" | "notBefore" | "draw" | "isUrgent">;
export type Placement = { slot: Slot | Never; changes: NetworkChange[] };

/** The earliest available time for a new action, and how far the search got, so that the next search continues there. */
export function placeAction(
  record: StoredAccount,
  action: Placed,
  facts: Pick<NetworkFacts, "frontier" | "timeline" | "usedTimeline">,
  now: number,
): Placement {
  const account = record.seq;
  const start = Math.max(action.notBefore, now);
  if (action.isUrgent) return placeUrgent(record, action, facts, start);
  const meter = narrowestOf(usesOf(action));
  const { frontierAt, freeAt } = facts.frontier(account, meter);
  const frontier = frontierAt ?? -Infinity;
  const timeline = facts.timeline(account);
  const isBehindGap = freeAt !== null && start < frontier;
  if (isBehindGap) {
    const request = requestOf(record, action, Math.max(freeAt, start));
    const slot = earliestSlot(request, timeline, stepsInGap);
    if (slot.at !== null && slot.isFree && slot.at < frontier)
      return { slot, changes: [{ kind: "gap", account, meter, at: slot.at }] };
  }
  const found = earliestSlot(requestOf(record, action, Math.max(start, frontier)), timeline, stepsToEnd);
  if (found.at === null) return { slot: found, changes: [] };
  const changes: NetworkChange[] = [];
  // A gap that does not fit is not searched again.
  if (isBehindGap) changes.push({ kind: "gap", account, meter, at: null });
  // A request for a later time says nothing about what is free before it.
  if (start <= Math.max(frontier, now) && found.at !== frontier)
    changes.push({ kind: "frontier", account, meter, at: found.at });
  return { slot: { ...found, reason: reasonInQueue(found.reason, action.notBefore, frontier, now) }, changes };
}

/**
 * The earliest time that performed actions leave. Planned ones give way: they are planned anew, and meanwhile, those that
 * fall due are held up by what was sent before them.
 */
function placeUrgent(
  record: StoredAccount,
  action: Placed,
  { usedTimeline }: Pick<NetworkFacts, "usedTimeline">,
  start: number,
): Placement {
  const slot = earliestSlot(requestOf(record, action, start), usedTimeline(record.seq), stepsToEnd);
  return { slot: slot.at === null ? slot : { ...slot, isFree: false }, changes: [] };
}

/** What delays an action now, given the performed actions (`used`); null: it can be sent. */
export function holdNow(record: StoredAccount, action: Placed, used: Timeline, now: number): Hold | null {
  const { state, spacing } = record.account;
  if (state !== "active") return { until: Infinity, reason: inactiveReasons[state] };
  return holdAt(requestOf(record, action, now, spacing.minSeconds * 1000), now, used);
}

/** The meters that count an action. */
export function usesOf({ actionType, message }: Pick<StoredAction, "actionType" | "message">): readonly Meter[] {
  return metersOf(actionType, message !== null);
}

/** Frees the slot of a planned action that will not take place. */
export function freeSlot({ seq }: StoredAccount, row: StoredAction): NetworkChange[] {
  const { slotAt, used } = row;
  if (slotAt === null || used === 1) return [];
  return [
    ...usesOf(row).map((meter) => ({ kind: "freeSlot", account: seq, meter, at: slotAt }) as const),
    { kind: "queue", account: seq, replan: false },
  ];
}

/** A timeline without the slot of one planned action, which must not block itself. */
export function without(row: StoredAction, timeline: Timeline): Timeline {
  const { slotAt } = row;
  if (slotAt === null || row.used === 1) return timeline;
  const uses = usesOf(row);
  return {
    nthBefore(meter, at, n) {
      const moment = timeline.nthBefore(meter, at, n);
      const isBehind = slotAt > at || (moment !== null && moment > slotAt);
      return isBehind || !uses.includes(meter) ? moment : timeline.nthBefore(meter, at, n + 1);
    },
    between(meter, from, to) {
      const moments = timeline.between(meter, from, to);
      const own = uses.includes(meter) ? moments.indexOf(slotAt) : -1;
      return own === -1 ? moments : moments.toSpliced(own, 1);
    },
  };
}

/** A timeline with uses that are decided but not stored yet, in ascending order. */
export function withUses(added: ReadonlyMap<Meter, readonly number[]>, timeline: Timeline): Timeline {
  const addedUntil = (meter: Meter, at: number) => (added.get(meter) ?? []).filter((moment) => moment <= at);
  return {
    nthBefore(meter, at, n) {
      const own = addedUntil(meter, at).reverse();
      const last = own.at(-1);
      if (last === undefined) return timeline.nthBefore(meter, at, n);
      // Added times are usually later than all stored ones.
      if ((timeline.nthBefore(meter, at, 1) ?? -Infinity) <= last)
        return own[n - 1] ?? timeline.nthBefore(meter, at, n - own.length);
      const both = Array.from({ length: n }, (_, index) => timeline.nthBefore(meter, at, index + 1) ?? -Infinity);
      const nth = [...own, ...both].toSorted((a, b) => b - a)[n - 1] ?? -Infinity;
      return nth === -Infinity ? null : nth;
    },
    between(meter, from, to) {
      const own = addedUntil(meter, to).filter((moment) => moment > from);
      const stored = timeline.between(meter, from, to);
      return own.length === 0 ? stored : [...stored, ...own].toSorted((a, b) => a - b);
    },
  };
}

function requestOf(
  { governed }: StoredAccount,
  action: Omit<Placed, "isUrgent">,
  notBefore: number,
  gapMs?: number,
): SlotRequest {
  return {
    account: governed,
    uses: usesOf(action),
    notBefore,
    gapMs: gapMs ?? gapOf(governed.spacing, action.draw),
  };
}

const inactiveReasons: Record<"paused" | "needsReconnect", PendingReason> = {
  paused: "accountPaused",
  needsReconnect: "accountNeedsReconnect",
};

const stepsInGap = 12;
/** Takes at most 20 ms. If that is not enough, the planner finds a time, which can take longer. */
const stepsToEnd = 500;
