import type { Meter } from "../meter-model.ts";
import { neverAt, type PendingReason } from "../action-model.ts";
import type { Hold, Timeline } from "../governor/slot.ts";
import type { ActionEnd, DueAction } from "../queue-model.ts";
import { interruptedMessage } from "../texts.ts";
import type { Decision, NetworkChange } from "./changes.ts";
import { endAction, pauseAction, skipAction } from "./ending.ts";
import { actionEvent } from "./events.ts";
import type { NetworkFacts, Target } from "./facts.ts";
import { objectionTo } from "./objections.ts";
import { holdNow, usesOf, withUses } from "./placement.ts";

/** An action to work on now, with row and job as they are once its changes are stored. */
export type ClaimedTarget = Target & { task: DueAction["task"] };
export type ClaimResult = { claimed: ClaimedTarget[]; needsPlan: boolean };

/**
 * Decides on due actions in order: each is sent, prepared, followed up, delayed, or ended. Caps used by an action are not
 * available to the actions after it.
 */
export function decideDue(
  targets: readonly Target[],
  facts: NetworkFacts,
  now: number,
  leaseUntil: number,
): Decision<ClaimResult> {
  const changes: NetworkChange[] = [];
  const claimed: ClaimedTarget[] = [];
  const uses = new Uses(facts);
  for (const target of urgentFirst(targets)) {
    const task = taskOf(target, facts, uses, now, changes);
    if (task === null) continue;
    const isSent = task === "send";
    if (isSent) uses.add(target, now);
    const marked = isSent ? markSending(target, now, ownReasonOf(target), changes) : target;
    claimed.push({ ...leased(marked, now, leaseUntil, changes), task });
  }
  const needsPlan =
    targets.some(({ record }) => record.needsPlan) ||
    changes.some((change) => change.kind === "queue" && change.replan);
  return { outcome: { claimed, needsPlan }, changes };
}

/** Marks a prepared action as being sent, if nothing delays it now. */
export function decideSend(target: Target, facts: NetworkFacts, now: number): Decision<boolean> {
  const changes: NetworkChange[] = [];
  if (target.row.state !== "scheduled") return { outcome: false, changes };
  const mayGo = isDue(target, facts, facts.usedTimeline(target.record.seq), now, changes);
  if (mayGo) markSending(target, now, ownReasonOf(target), changes);
  return { outcome: mayGo, changes };
}

/** The first of these actions that a worker can perform now, or when to try again (null: unknown). */
export function decideForWorker(
  targets: readonly Target[],
  facts: NetworkFacts,
  now: number,
  leaseUntil: number,
): Decision<{ claimed: Target } | { claimed: null; retryAt: number | null }> {
  const changes: NetworkChange[] = [];
  let retryAt: number | null = null;
  for (const target of urgentFirst(targets)) {
    if (!isWanted(target, facts, now, changes)) continue;
    const { record, row } = target;
    const hold = holdNow(record, row, facts.usedTimeline(record.seq), now);
    if (hold === null) {
      const marked = markSending(target, now, "awaitingWorker", changes);
      return { outcome: { claimed: leased(marked, now, leaseUntil, changes) }, changes };
    }
    if (Number.isFinite(hold.until)) retryAt = Math.min(retryAt ?? hold.until, hold.until);
  }
  return { outcome: { claimed: null, retryAt }, changes };
}

/** Skips tasks for people who have been added to the do-not-contact list. */
export function decideObjectedTasks(targets: readonly Target[], facts: NetworkFacts, now: number): NetworkChange[] {
  return targets.flatMap((target) => {
    const objection = objectionTo(target.record.seq, target.row, facts, now);
    return objection?.kind === "doNotContact" ? skipAction(target, objection, facts, now) : [];
  });
}

/**
 * Returns an action to the queue until the hold ends. `keepsPlace`: the queue is about to be rescheduled, and actions
 * after this one must not overtake it meanwhile.
 */
export function waitInQueue(
  { job, row, record }: Target,
  { until, reason }: Hold,
  now: number,
  { keepsPlace = false, message = "" } = {},
): NetworkChange[] {
  const isNever = !Number.isFinite(until);
  const slotAt = isNever || keepsPlace ? (row.slotAt ?? now) : until;
  const runAt = isNever ? neverAt : until;
  return [
    { kind: "state", row, state: "scheduled", pendingReason: reason, used: 0, slotAt, at: now },
    { kind: "wait", jobId: job.id, status: "pending", runAt, leaseUntil: null, message, at: now },
    { kind: "queue", account: record.seq, replan: false },
  ];
}

/** A reply is not held up by what falls due at the same time. */
function urgentFirst(targets: readonly Target[]): Target[] {
  return targets.toSorted((one, other) => Number(other.row.isUrgent) - Number(one.row.isUrgent));
}

/** What to do for an action that is due; null: nothing now. */
function taskOf(
  target: Target,
  facts: NetworkFacts,
  uses: Uses,
  now: number,
  changes: NetworkChange[],
): DueAction["task"] | null {
  const { job, row, record } = target;
  if (row.state === "awaiting") return "follow";
  if (row.state !== "scheduled") {
    // Creating a task for a person twice is harmless. Any other action may have taken effect.
    const isHarmless = row.pendingReason === "awaitingPerson";
    changes.push(
      ...(isHarmless ? waitInQueue(target, { until: now, reason: "queued" }, now) : endInterrupted(target, facts, now)),
    );
    return null;
  }
  if (record.account.connector === "worker" && record.account.state === "active") {
    const { runAt } = job;
    changes.push(
      { kind: "state", row, state: "awaiting", pendingReason: "awaitingWorker", used: 0, slotAt: row.slotAt, at: now },
      { kind: "wait", jobId: job.id, status: "running", runAt, leaseUntil: null, message: "", at: now },
    );
    return null;
  }
  if (!isDue(target, facts, uses.timelineOf(record.seq), now, changes)) return null;
  return row.actionType === "sendVoiceMessage" ? "prepare" : "send";
}

/** Whether an action may go now; if not, it is delayed or ended. */
function isDue(target: Target, facts: NetworkFacts, used: Timeline, now: number, changes: NetworkChange[]): boolean {
  if (!isWanted(target, facts, now, changes)) return false;
  const { row, record } = target;
  const hold = holdNow(record, row, used, now);
  if (hold === null) return true;
  // A short delay is normal. After a longer one, or after downtime, the whole queue is rescheduled in the same order, so
  // that the backlog is not sent with minimum spacing.
  const isLate = row.slotAt !== null && row.slotAt < now - shortDelayMs;
  const replan = Number.isFinite(hold.until) && (isLate || hold.until - now > shortWaitMs);
  changes.push(...waitInQueue(target, hold, now, { keepsPlace: replan }));
  if (replan) changes.push({ kind: "queue", account: record.seq, replan });
  return false;
}

/** Whether an action must still be sent; if not, it is ended. */
function isWanted(target: Target, facts: NetworkFacts, now: number, changes: NetworkChange[]): boolean {
  const { row, record } = target;
  if (row.campaignId !== null && !facts.isOriginRunning(row.campaignId)) {
    changes.push(...pauseAction(target, now));
    return false;
  }
  const objection = objectionTo(record.seq, row, facts, now);
  if (objection !== null) changes.push(...skipAction(target, objection, facts, now));
  return objection === null;
}

/** The runner or worker died while sending, so the outcome is unknown. */
function endInterrupted(target: Target, facts: NetworkFacts, now: number): NetworkChange[] {
  const end: ActionEnd = {
    state: "unknown",
    message: interruptedMessage,
    metadata: { outcome: "unknown", reason: "interrupted" },
    reference: null,
    relation: null,
    at: now,
  };
  return endAction(target, end, facts, target.row.slotAt ?? now);
}

function markSending(
  target: Target,
  at: number,
  pendingReason: PendingReason | null,
  changes: NetworkChange[],
): Target {
  const { row, record } = target;
  changes.push(
    { kind: "send", row, pendingReason, at },
    { kind: "queue", account: record.seq, replan: false },
    actionEvent("action.started", record, row, at),
  );
  return { ...target, row: { ...row, state: "sending", pendingReason, used: 1, slotAt: at, updatedAt: at } };
}

/** Marks tasks for a person, which are harmless to repeat, to distinguish them from connector calls. */
function ownReasonOf({ record }: Target): PendingReason | null {
  return record.account.connector === "manual" ? "awaitingPerson" : null;
}

function leased<T extends Target>(target: T, at: number, until: number, changes: NetworkChange[]): T {
  const { job } = target;
  changes.push({ kind: "lease", jobId: job.id, at, until });
  return {
    ...target,
    job: { ...job, status: "running", attempt: job.attempt + 1, leaseUntil: until, updatedAt: at },
  };
}

/** Usage of accounts, including what this decision has added. */
class Uses {
  readonly #facts: NetworkFacts;
  readonly #added = new Map<number, Map<Meter, number[]>>();

  constructor(facts: NetworkFacts) {
    this.#facts = facts;
  }

  add({ row, record }: Target, at: number): void {
    let meters = this.#added.get(record.seq);
    if (meters === undefined) this.#added.set(record.seq, (meters = new Map()));
    for (const meter of usesOf(row)) {
      const moments = meters.get(meter);
      if (moments === undefined) meters.set(meter, [at]);
      else moments.push(at);
    }
  }

  timelineOf(account: number): Timeline {
    const stored = this.#facts.usedTimeline(account);
    const added = this.#added.get(account);
    return added === undefined ? stored : withUses(added, stored);
  }
}

/** Actions of an account that a worker's claim considers: if the first is capped, one of another type may be free. */
export const mostWorkerCandidates = 50;
/** A shorter wait does not disturb the plan. */
const shortWaitMs = 15 * 60_000;
/** An action later than this was not delayed by those before it. */
const shortDelayMs = 60_000;
