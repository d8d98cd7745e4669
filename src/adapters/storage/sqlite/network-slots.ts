import type { PendingReason } from "../../../features/network/action-model.ts";
import {
  earliestSlot,
  gapOf,
  holdAt,
  type Hold,
  type Never,
  type Slot,
  type SlotRequest,
  type Timeline,
} from "../../../features/network/governor/slot.ts";
import { narrowestOf, reasonInQueue } from "../../../features/network/governor/plan.ts";
import type { Engine } from "./engine.ts";
import { meterCode, type AccountRecord } from "./network-accounts.ts";
import { usesOf } from "./network-actions.ts";
import type { ActionRow } from "./network-tables.ts";
import { createTimelines } from "./network-timeline.ts";

/** What decides on the slot of an action. */
export type Placed = Pick<ActionRow, "actionType" | "message" | "notBefore" | "draw">;

export type Slots = ReturnType<typeof createSlots>;

/** Where an action fits into the plan of its account, and whether it may go now. */
export function createSlots(engine: Engine) {
  const { database } = engine;
  const timelines = createTimelines(engine);
  const frontierOf = database.query<{ frontier_at: number | null; free_at: number | null }, [number, number]>(
    "SELECT frontier_at, free_at FROM network_meters WHERE account = ? AND meter = ?",
  );
  const moveFrontier = database.query(
    "INSERT INTO network_meters (account, meter, frontier_at) VALUES (?, ?, ?)" +
      " ON CONFLICT (account, meter) DO UPDATE SET frontier_at = excluded.frontier_at",
  );
  const setFree = database.query("UPDATE network_meters SET free_at = ? WHERE account = ? AND meter = ?");

  function requestOf({ governed }: AccountRecord, action: Placed, notBefore: number, gapMs?: number): SlotRequest {
    const gap = gapMs ?? gapOf(governed.spacing, action.draw);
    return { account: governed, uses: usesOf(action), notBefore, gapMs: gap };
  }

  /** A slot that was freed before the end of the queue. */
  function inGap(record: AccountRecord, action: Placed, freeAt: number, start: number, frontier: number): Slot | null {
    const request = requestOf(record, action, Math.max(freeAt, start));
    const slot = earliestSlot(request, timelines.whole(record.seq), fewSteps);
    return slot.at !== null && slot.isFree && slot.at < frontier ? slot : null;
  }

  /** The earliest moment for an action, and what is then to be written down. */
  function search(record: AccountRecord, action: Placed, now: number): { slot: Slot | Never; note: () => void } {
    const start = Math.max(action.notBefore, now);
    const meter = meterCode(narrowestOf(usesOf(action)));
    const { frontier_at, free_at } = frontierOf.get(record.seq, meter) ?? { frontier_at: null, free_at: null };
    const frontier = frontier_at ?? -Infinity;
    const isBehindGap = free_at !== null && start < frontier;
    const gap = isBehindGap ? inGap(record, action, free_at, start, frontier) : null;
    if (gap !== null) return { slot: gap, note: () => setFree.run(gap.at, record.seq, meter) };
    const request = requestOf(record, action, Math.max(start, frontier));
    const found = earliestSlot(request, timelines.whole(record.seq), manySteps);
    if (found.at === null) return { slot: found, note: () => {} };
    const { at } = found;
    const note = (): void => {
      // One that is of no use now is looked for no more.
      if (isBehindGap) setFree.run(null, record.seq, meter);
      // Whoever asked for a later moment says nothing about what is free before it.
      if (start <= Math.max(frontier, now) && at !== frontier) moveFrontier.run(record.seq, meter, at);
    };
    return { slot: { ...found, reason: reasonInQueue(found.reason, action.notBefore, frontier, now) }, note };
  }

  return {
    /** The earliest moment for a new action; writes down how far the search came, so that the next begins there. */
    place(record: AccountRecord, action: Placed, now: number): Slot | Never {
      const { slot, note } = search(record, action, now);
      note();
      return slot;
    },
    /** What `place` would answer, writing nothing. */
    foresee: (record: AccountRecord, action: Placed, now: number): Slot | Never => search(record, action, now).slot,
    /**
     * What holds an action back at this moment, by what was really carried out; null: it may go. `catchUp` is called
     * before that is read, which it is not for an account without limits.
     */
    holdNow(record: AccountRecord, action: Placed, now: number, catchUp: () => void = () => {}): Hold | null {
      const { state, spacing } = record.account;
      if (state !== "active") return { until: Infinity, reason: pausedReasons[state] };
      const timeline = readAfter(catchUp, timelines.used(record.seq));
      return holdAt(requestOf(record, action, now, spacing.minSeconds * 1000), now, timeline);
    },
  };
}

function readAfter(prepare: () => void, timeline: Timeline): Timeline {
  const prepared = (): Timeline => {
    prepare();
    return timeline;
  };
  return {
    nthBefore: (meter, at, n) => prepared().nthBefore(meter, at, n),
    between: (meter, from, to) => prepared().between(meter, from, to),
  };
}

const pausedReasons: Record<"paused" | "needsReconnect", PendingReason> = {
  paused: "accountPaused",
  needsReconnect: "accountNeedsReconnect",
};

const fewSteps = 12;
/** Some 20 ms at most; where that is not enough the plan, which has more time, finds the moment. */
const manySteps = 500;
