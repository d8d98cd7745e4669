import type { ActionView, PendingReason } from "../../../../../features/network/action-model.ts";
import { count } from "../../format.ts";
import { reasonLabels } from "../../network.ts";
import { shortTime } from "../../short-time.ts";

/** What happens at the scheduled time, for the reasons that end with it. */
const endings: Partial<Record<PendingReason, string>> = {
  outsideWorkingHours: "opens",
  break: "until",
  dailyLimit: "frees up",
  weeklyLimit: "frees up",
  monthlyLimit: "frees up",
  monthlyNoteLimit: "frees up",
  warmup: "more from",
  cooldown: "until",
  retry: "again at",
  notBefore: "from",
};

/** What has to be done, for the reasons that do not end by themselves. */
const remedies: Partial<Record<PendingReason, string>> = {
  accountPaused: "resume the account to send",
  accountNeedsReconnect: "reconnect the account to send",
};

/**
 * Why an action waits, until when, and behind how many others: "Outside working hours · opens Mon 09:00 · 4 ahead".
 * `ahead`: actions of the same account before it; null if unknown.
 */
export function reasonInFull(
  { pendingReason, scheduledFor }: Pick<ActionView, "pendingReason" | "scheduledFor">,
  ahead: number | null,
): string {
  if (pendingReason === null) return "";
  const ending = endings[pendingReason];
  // The number stays with its word.
  return [
    pendingReason === "queued" && ahead !== null && ahead > 0 ? "In the queue" : reasonLabels[pendingReason],
    ending !== undefined && scheduledFor !== null && `${ending} ${shortTime(scheduledFor)}`,
    remedies[pendingReason],
    ahead !== null && ahead > 0 && `${count(ahead)}\u00a0ahead`,
  ]
    .filter(Boolean)
    .join(" · ");
}

type Waiting = Pick<ActionView, "jobId" | "accountId" | "scheduledFor" | "isReply">;

/**
 * For each action of a list by time, how many of the same account are sent before it; `before`: those of earlier pages by
 * account. A reply overtakes the other actions of its time.
 */
export function countAhead(
  actions: readonly Waiting[],
  before: Readonly<Record<string, number>>,
): { ahead: Map<string, number>; after: Record<string, number> } {
  const after: Record<string, number> = { ...before };
  const ahead = new Map<string, number>();
  for (const { jobId, accountId } of actions.toSorted(bySending)) {
    const n = after[accountId] ?? 0;
    ahead.set(jobId, n);
    after[accountId] = n + 1;
  }
  return { ahead, after };
}

/** Actions without a time are last, and keep their order otherwise. */
function bySending(one: Waiting, other: Waiting): number {
  const [at, otherAt] = [timeOf(one), timeOf(other)];
  return at === otherAt ? Number(other.isReply) - Number(one.isReply) : at - otherAt;
}

const timeOf = ({ scheduledFor }: Waiting): number =>
  scheduledFor === null ? Number.MAX_SAFE_INTEGER : Date.parse(scheduledFor);
