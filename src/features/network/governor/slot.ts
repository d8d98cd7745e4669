import type { CoolDown, Spacing } from "../account-model.ts";
import type { Meter } from "../meter-model.ts";
import type { PendingReason } from "../action-model.ts";
import { nextOpening, type Calendar } from "./calendar.ts";
import { normalQuantile } from "./draw.ts";
import { limitsOf, type Capped, type Limit } from "./limits.ts";

/** When actions of an account were performed or are planned, by meter in ascending order. */
export type Timeline = {
  /** The n-th latest time that is not after `at` (1: the latest); null if there are fewer. */
  nthBefore(meter: Meter, at: number, n: number): number | null;
  /** The times after `from` and not after `to`. */
  between(meter: Meter, from: number, to: number): readonly number[];
};

/** The account as the governor sees it. */
export type Governed = Capped & Calendar & { spacing: Spacing; coolDowns: readonly CoolDown[] };

export type SlotRequest = {
  account: Governed;
  /** The meters that count the action; the last one is `all`. */
  uses: readonly Meter[];
  notBefore: number;
  /** Spacing after the previous action of the account. */
  gapMs: number;
};

export type Hold = { until: number; reason: PendingReason };
/** `isFree` false: the search ended early. No earlier time is free, but this one may not be free either. */
export type Slot = { at: number; reason: PendingReason; isFree: boolean };
export type Never = { at: null; reason: PendingReason };

/**
 * The earliest time from `notBefore` on when nothing delays the action, and the main reason for the delay. `at` is null
 * if there is none, because the account has no working hours or a cap is 0. The search ends after `maxSteps` holds.
 */
export function earliestSlot(request: SlotRequest, timeline: Timeline, maxSteps: number): Slot | Never {
  let at = request.notBefore;
  let reason: PendingReason = "queued";
  for (let step = 0; step < maxSteps; step++) {
    const hold = holdAt(request, at, timeline);
    if (hold === null) return { at, reason, isFree: true };
    if (!Number.isFinite(hold.until)) return { at: null, reason: hold.reason };
    at = hold.until;
    if (weight[hold.reason] > weight[reason]) reason = hold.reason;
  }
  return { at, reason, isFree: false };
}

/**
 * What delays the action at a point in time, and until when at least; null: nothing. `until` is Infinity if the hold
 * never ends. Another hold may apply at `until`.
 */
export function holdAt(request: SlotRequest, at: number, timeline: Timeline): Hold | null {
  return (
    coolingAt(request, at) ??
    closedAt(request.account, at) ??
    crowdedAt(request, at, timeline) ??
    firstOf(request.uses, (meter) => cappedAt(request.account, meter, at, timeline))
  );
}

/** The spacing after the previous action for this draw (0 to 1). */
export function gapOf({ medianSeconds, minSeconds }: Spacing, draw: number): number {
  const drawn = medianSeconds * Math.exp(spread * normalQuantile(draw));
  return Math.round(Math.max(minSeconds, Math.min(drawn, maxMedians * medianSeconds)) * 1000);
}

// Eight of ten gaps are between half the median and twice the median.
const spread = 0.54;
const maxMedians = 4;

/** The reason with the highest weight is shown when several apply. */
const weight: Record<PendingReason, number> = {
  queued: 0,
  notBefore: 1,
  spacing: 2,
  break: 3,
  outsideWorkingHours: 4,
  holiday: 4,
  retry: 5,
  cooldown: 6,
  dailyLimit: 7,
  warmup: 8,
  weeklyLimit: 9,
  monthlyLimit: 10,
  monthlyNoteLimit: 11,
  accountPaused: 12,
  accountNeedsReconnect: 12,
  awaitingApproval: 12,
  awaitingPerson: 12,
  awaitingWorker: 12,
  awaitingVendor: 12,
};

function coolingAt({ account, uses }: SlotRequest, at: number): Hold | null {
  const until = account.coolDowns.reduce(
    (latest, { meter, until }) => (uses.includes(meter) ? Math.max(latest, until) : latest),
    at,
  );
  return until > at ? { until, reason: "cooldown" } : null;
}

function closedAt(account: Calendar, at: number): Hold | null {
  const opening = nextOpening(at, account);
  if (opening === null) return { until: Infinity, reason: "outsideWorkingHours" };
  return opening.waitsFor === null ? null : { until: opening.at, reason: opening.waitsFor };
}

/** Whether the action is too close to the previous one, or to one that is already planned after it. */
function crowdedAt({ account, gapMs }: SlotRequest, at: number, timeline: Timeline): Hold | null {
  if (gapMs === 0) return null;
  const before = timeline.nthBefore("all", at, 1);
  if (before !== null && before + gapMs > at) return { until: before + gapMs, reason: "spacing" };
  const minMs = account.spacing.minSeconds * 1000;
  const next = timeline.between("all", at, at + minMs - 1)[0];
  return next === undefined ? null : { until: next + gapMs, reason: "spacing" };
}

function cappedAt(account: Capped, meter: Meter, at: number, timeline: Timeline): Hold | null {
  return firstOf(limitsOf(account, meter, at), (limit) => fullAt(account, limit, at, timeline));
}

/** Whether a window that ends at `at`, or a later one that would include the action, is full. */
function fullAt(account: Capped, limit: Limit, at: number, timeline: Timeline): Hold | null {
  const { meter, windowMs, cap, reason } = limit;
  if (cap === 0) return { until: Infinity, reason };
  const leaving = timeline.nthBefore(meter, at, cap);
  if (leaving !== null && leaving > at - windowMs) return { until: leaving + windowMs, reason };
  const later = timeline.between(meter, at, at + windowMs - 1);
  if (later.length === 0) return null;
  const times = [...timeline.between(meter, at - windowMs, at), at, ...later];
  let first = 0;
  for (let index = times.length - later.length; index < times.length; index++) {
    const end = times[index] ?? at;
    while ((times[first] ?? end) <= end - windowMs) first++;
    const capThen = limitsOf(account, meter, end).find(({ window }) => window === limit.window)?.cap ?? cap;
    if (index - first + 1 > capThen) return { until: end + 1, reason };
  }
  return null;
}

function firstOf<T>(list: readonly T[], holdOf: (item: T) => Hold | null): Hold | null {
  for (const item of list) {
    const hold = holdOf(item);
    if (hold !== null) return hold;
  }
  return null;
}
