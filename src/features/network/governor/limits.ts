import { windowMs, windows, type Caps, type NetworkAccount, type Window } from "../account-model.ts";
import type { Meter, Tier } from "../meter-model.ts";
import type { PendingReason } from "../action-model.ts";
import { drawOf } from "./draw.ts";
import { localTime } from "./zone.ts";

/** The account properties that determine its caps. */
export type Capped = Pick<
  NetworkAccount,
  "id" | "tier" | "connector" | "timeZone" | "caps" | "warmUp" | "jitterPercent"
>;

type ByTier = Record<Tier, number | null>;
type Table = Partial<Record<Meter, Partial<Record<Window, ByTier>>>>;

const tierCaps = (free: number | null, premium: number | null, salesNavigator: number | null): ByTier => ({
  free,
  premium,
  salesNavigator,
});

/** Conservative caps: the middle of the range that tools and vendors recommend. */
const defaults: Table = {
  invites: { day: tierCaps(15, 20, 25), week: tierCaps(80, 100, 150) },
  notes: { month: tierCaps(5, null, null) },
  messages: { day: tierCaps(40, 50, 60) },
  visits: { day: tierCaps(50, 80, 80) },
  inMails: { day: tierCaps(0, 20, 30) },
  likes: { day: tierCaps(20, 30, 30) },
  comments: { day: tierCaps(20, 30, 30) },
  follows: { day: tierCaps(20, 30, 30) },
  endorsements: { day: tierCaps(20, 30, 30) },
  withdrawals: { day: tierCaps(40, 40, 40) },
  all: { day: tierCaps(100, 120, 150) },
};

/** The highest known safe caps; no setting can exceed them. */
const ceilings: Table = {
  invites: { day: tierCaps(50, 100, 100), week: tierCaps(150, 200, 250) },
  notes: { month: tierCaps(5, null, null) },
  messages: { day: tierCaps(100, 150, 150) },
  visits: { day: tierCaps(80, 100, 150) },
  inMails: { day: tierCaps(0, 50, 50) },
  likes: { day: tierCaps(100, 100, 100) },
  comments: { day: tierCaps(50, 100, 100) },
  follows: { day: tierCaps(100, 100, 100) },
  endorsements: { day: tierCaps(100, 100, 100) },
  withdrawals: { day: tierCaps(100, 100, 100) },
  all: { day: tierCaps(250, 300, 400) },
};

/** A cap in effect at a point in time, and the pending reason of actions that wait because of it. */
export type Limit = { meter: Meter; window: Window; windowMs: number; cap: number; reason: PendingReason };

/** The caps of a meter in effect at `at`, shortest window first. */
export function limitsOf(account: Capped, meter: Meter, at: number): Limit[] {
  return windows.flatMap((window) => {
    const cap = steadyCap(account, meter, window);
    const limit = (value: number, reason: PendingReason) => [
      { meter, window, windowMs: windowMs[window], cap: value, reason },
    ];
    if (window !== "day") return cap === null ? [] : limit(cap, reasonOf(meter, window));
    const warmUp = warmUpCap(account, meter, at);
    if (warmUp !== null && (cap === null || warmUp < cap)) return limit(warmUp, "warmup");
    return cap === null ? [] : limit(jitteredCap(account, meter, cap, at), "dailyLimit");
  });
}

/** The cap from settings and tier, before warm-up and daily jitter; null: none. */
export function steadyCap({ caps, tier, connector }: Capped, meter: Meter, window: Window): number | null {
  const custom = caps[meter]?.[window];
  const cap = custom === undefined ? (defaults[meter]?.[window]?.[tier] ?? null) : custom;
  const ceiling = connector === "simulated" ? null : ceilingOf(tier, meter, window);
  if (cap === null || ceiling === null) return cap ?? ceiling;
  return Math.min(cap, ceiling);
}

/** The maximum that a setting can have; null: unlimited. */
export function ceilingOf(tier: Tier, meter: Meter, window: Window): number | null {
  return ceilings[meter]?.[window]?.[tier] ?? null;
}

function reasonOf(meter: Meter, window: Window): PendingReason {
  if (window === "week") return "weeklyLimit";
  return meter === "notes" ? "monthlyNoteLimit" : "monthlyLimit";
}

function warmUpCap({ warmUp, timeZone }: Capped, meter: Meter, at: number): number | null {
  if (warmUp === null || meter === "all" || meter === "notes") return null;
  const days = localTime(at, timeZone).date - localTime(warmUp.startedAt, timeZone).date;
  return warmUp.perDay + warmUp.addPerDay * Math.max(0, Math.round(days / windowMs.day));
}

/** Varies the cap by day, because people are not equally active every day. Never above the cap, and at least 1. */
function jitteredCap({ id, timeZone, jitterPercent }: Capped, meter: Meter, cap: number, at: number): number {
  if (cap <= 1 || jitterPercent === 0) return cap;
  const share = 1 + ((2 * drawOf(id, meter, localTime(at, timeZone).date) - 1) * jitterPercent) / 100;
  return Math.max(1, Math.min(cap, Math.round(cap * share)));
}

/** How many of the latest uses of a meter decide about its next one, under these caps or the account's own. */
export function decisiveUses(account: NetworkAccount, caps: Caps, meter: Meter): number {
  const settings = [account, { ...account, caps }];
  const limits = settings.flatMap((each) => windows.map((window) => steadyCap(each, meter, window) ?? 0));
  // At least the last one, from which the next keeps its distance.
  return Math.max(1, ...limits);
}
