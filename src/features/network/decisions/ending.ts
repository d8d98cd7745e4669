import type { Job } from "../../../platform/jobs/model.ts";
import { openStates, type ActionState, type Objection, type PendingReason } from "../action-model.ts";
import type { ActionEnd } from "../queue-model.ts";
import { objectionText } from "../texts.ts";
import type { NetworkChange } from "./changes.ts";
import { contactAfter } from "./contacts.ts";
import { actionEvent, endedEvent } from "./events.ts";
import type { NetworkFacts, StoredAction, Target } from "./facts.ts";
import { freeSlot } from "./placement.ts";

/** Ends an action. `carriedOutAt`: the time at which it counts toward its caps, if it does. */
export function endAction(
  { row, job, record }: Target,
  end: ActionEnd,
  facts: Pick<NetworkFacts, "contact">,
  carriedOutAt: number = end.at,
): NetworkChange[] {
  const { state, reference, relation, at } = end;
  const counts = state === "completed" || state === "unknown";
  const known = facts.contact(record.seq, row.profileKey);
  const attempt = { wasSent: state === "completed", shown: relation, reference };
  const changes = freeSlot(record, row);
  changes.push(
    { kind: "end", row, state, slotAt: counts ? carriedOutAt : null, reference, at },
    { kind: "job", job, change: endedJob(job, end) },
    endedEvent(record, row, end),
    ...contactAfter(record, row, row.actionType, attempt, known, carriedOutAt),
  );
  if (relation === "connected") {
    const lastCampaignId = known?.relation === "pending" ? known.campaignId : null;
    const { profileKey } = row;
    changes.push({
      kind: "origin",
      news: { kind: "person", news: "accepted", accountId: record.account.id, profileKey, at, lastCampaignId, now: at },
    });
  }
  return [...changes, ...actionEnded(row, state, carriedOutAt, at)];
}

/** Ends an action that must no longer be sent. */
export function skipAction(
  target: Target,
  objection: Objection,
  facts: Pick<NetworkFacts, "contact">,
  now: number,
): NetworkChange[] {
  const end: ActionEnd = {
    state: "skipped",
    message: `Not sent: ${objectionText(objection)}`,
    metadata: { outcome: "skipped", skipReason: objection.kind },
    reference: null,
    relation: null,
    at: now,
  };
  return endAction(target, end, facts);
}

export function cancelAction({ row, job, record }: Target, now: number): NetworkChange[] {
  // An action that was never approved is not approved by canceling and retrying it.
  const pendingReason = row.state === "awaitingApproval" ? ("awaitingApproval" as const) : null;
  const metadata = { ...job.metadata, canceled: true };
  return [
    ...freeSlot(record, row),
    { kind: "state", row, state: "canceled", pendingReason, used: 0, slotAt: null, at: now },
    {
      kind: "job",
      job,
      change: { status: "failed", message: "Canceled", metadata, leaseUntil: null, completedAt: now, updatedAt: now },
    },
    actionEvent("action.canceled", record, row, now),
    ...actionEnded(row, "canceled", now, now),
  ];
}

/** Cancels an action that its campaign no longer needs, unless it is being sent. The campaign is not notified. */
export function withdrawAction(target: Target | null, now: number): NetworkChange[] {
  if (target === null || isUnderWay(target.row) || !openStates.includes(target.row.state)) return [];
  return cancelAction({ ...target, row: { ...target.row, enrollmentId: null } }, now);
}

/** The actions that a campaign withdraws when it pauses; of awaiting ones, those that await one of `reasons`. */
export const withdrawn = {
  states: ["awaitingApproval", "scheduled"],
  reasons: ["awaitingPerson", "awaitingWorker"],
} as const satisfies { states: readonly ActionState[]; reasons: readonly PendingReason[] };

/** Withdraws an action of a paused campaign, which schedules it again when it continues. */
export function pauseAction(target: Target, at: number): NetworkChange[] {
  const { enrollmentId } = target.row;
  const news = enrollmentId === null ? null : ({ kind: "actionWithdrawn", enrollmentId, at } as const);
  return [...(news === null ? [] : [{ kind: "origin", news } as const]), ...withdrawAction(target, at)];
}

/** Whether the action is being sent and can't be stopped. */
export function isUnderWay({ state, pendingReason }: Pick<StoredAction, "state" | "pendingReason">): boolean {
  return state === "sending" || (state === "awaiting" && pendingReason === "awaitingVendor");
}

function actionEnded(
  { enrollmentId, campaignStep: step, actionType }: StoredAction,
  state: ActionState,
  carriedOutAt: number,
  at: number,
): NetworkChange[] {
  if (enrollmentId === null) return [];
  return [{ kind: "origin", news: { kind: "actionEnded", enrollmentId, step, actionType, state, carriedOutAt, at } }];
}

function endedJob(job: Job, { state, message, metadata, at }: ActionEnd): Partial<Job> {
  const isFine = state === "completed" || state === "skipped";
  return {
    status: isFine ? "completed" : "failed",
    progress: isFine ? 100 : job.progress,
    message,
    metadata: { ...job.metadata, ...metadata },
    leaseUntil: null,
    completedAt: at,
    updatedAt: at,
  };
}
