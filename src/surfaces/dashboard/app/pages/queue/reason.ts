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

/** For each action, how many of the same account come before it; `before`: those of earlier pages by account. */
export function countAhead(
  actions: readonly Pick<ActionView, "jobId" | "accountId">[],
  before: Readonly<Record<string, number>>,
): { ahead: Map<string, number>; after: Record<string, number> } {
  const after: Record<string, number> = { ...before };
  const ahead = new Map<string, number>();
  for (const { jobId, accountId } of actions) {
    const n = after[accountId] ?? 0;
    ahead.set(jobId, n);
    after[accountId] = n + 1;
  }
  return { ahead, after };
}
