import type { CoolDown, Meter, Spacing } from "../account-model.ts";
import type { PendingReason } from "../action-model.ts";
import { nextOpening, type Calendar } from "./calendar.ts";
import { normalQuantile } from "./draw.ts";
import { limitsOf, type Capped, type Limit } from "./limits.ts";

/** What has been taken from an account's meters, and what is planned to be; moments of one meter in ascending order. */
export type Timeline = {
  /** The n-th latest moment that is not after `at` (1: the latest); null when there are fewer. */
  nthBefore(meter: Meter, at: number, n: number): number | null;
  /** The moments after `from` and not after `to`. */
  between(meter: Meter, from: number, to: number): readonly number[];
};

/** The account as the governor sees it. */
export type Governed = Capped & Calendar & { spacing: Spacing; coolDowns: readonly CoolDown[] };

export type SlotRequest = {
  account: Governed;
  /** The meters that the action takes from; the last one is `all`. */
  uses: readonly Meter[];
  notBefore: number;
  /** Distance to keep from the account's action before. */
  gapMs: number;
};

export type Hold = { until: number; reason: PendingReason };
/** `isFree` false: the search ended early, and nothing is known of the moment but that none before it is free. */
export type Slot = { at: number; reason: PendingReason; isFree: boolean };
export type Never = { at: null; reason: PendingReason };

/**
 * The earliest moment from `notBefore` on at which nothing holds the action back, and what held it back most; `at`
 * null when there is none, because the hours never open or a cap is 0. After `mostSteps` holds the search ends.
 */
export function earliestSlot(request: SlotRequest, timeline: Timeline, mostSteps: number): Slot | Never {
  let at = request.notBefore;
  let reason: PendingReason = "queued";
  for (let step = 0; step < mostSteps; step++) {
    const hold = holdAt(request, at, timeline);
    if (hold === null) return { at, reason, isFree: true };
    if (!Number.isFinite(hold.until)) return { at: null, reason: hold.reason };
    at = hold.until;
    if (weight[hold.reason] > weight[reason]) reason = hold.reason;
  }
  return { at, reason, isFree: false };
}

/**
 * What holds the action back at a moment, and until when at least; null: nothing. `until` is Infinity when it never
 * lets go. A moment that is free now may be held by something else at `until`.
 */
export function holdAt(request: SlotRequest, at: number, timeline: Timeline): Hold | null {
  return (
    coolingAt(request, at) ??
    closedAt(request.account, at) ??
    crowdedAt(request, at, timeline) ??
    firstOf(request.uses, (meter) => cappedAt(request.account, meter, at, timeline))
  );
}

/** The distance that an action with this draw (0 to 1) keeps from the one before. */
export function gapOf({ medianSeconds, minSeconds }: Spacing, draw: number): number {
  const drawn = medianSeconds * Math.exp(spread * normalQuantile(draw));
  return Math.round(Math.max(minSeconds, Math.min(drawn, longest * medianSeconds)) * 1000);
}

// Of ten distances, eight lie between half the median and twice the median.
const spread = 0.54;
const longest = 4;

/** Which of several causes a waiting person would name. */
const weight: Record<PendingReason, number> = {
  queued: 0,
  notBefore: 1,
  spacing: 2,
  break: 3,
  outsideWorkingHours: 4,
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
    (latest, rest) => (uses.includes(rest.meter) ? Math.max(latest, rest.until) : latest),
    at,
  );
  return until > at ? { until, reason: "cooldown" } : null;
}

function closedAt(account: Calendar, at: number): Hold | null {
  const opening = nextOpening(at, account);
  if (opening === null) return { until: Infinity, reason: "outsideWorkingHours" };
  return opening.heldBy === null ? null : { until: opening.at, reason: opening.heldBy };
}

/** Too close behind the action before, or so close before one that is planned already that it would be crowded. */
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

/** Whether a window that ends at `at`, or one that ends later and would hold the action too, is full. */
function fullAt(account: Capped, limit: Limit, at: number, timeline: Timeline): Hold | null {
  const { meter, windowMs, cap, reason } = limit;
  if (cap === 0) return { until: Infinity, reason };
  const leaving = timeline.nthBefore(meter, at, cap);
  if (leaving !== null && leaving > at - windowMs) return { until: leaving + windowMs, reason };
  const later = timeline.between(meter, at, at + windowMs - 1);
  if (later.length === 0) return null;
  const moments = [...timeline.between(meter, at - windowMs, at), at, ...later];
  let first = 0;
  for (let index = moments.length - later.length; index < moments.length; index++) {
    const end = moments[index] ?? at;
    while ((moments[first] ?? end) <= end - windowMs) first++;
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
