import type { Job } from "../../../platform/jobs/model.ts";
import { doneBy } from "../../../platform/events/done-by.ts";
import { hasNote } from "../action-kinds.ts";
import {
  neverAt,
  openStates,
  type ActionState,
  type NetworkAction,
  type Objection,
  type PendingReason,
} from "../action-model.ts";
import type { Relation } from "../contact-model.ts";
import type { ActionEdit, ActionEnd, ScheduleAction, ScheduleOutcome } from "../queue-model.ts";
import type { Decision, NetworkChange } from "./changes.ts";
import { contactAfter } from "./contacts.ts";
import { cancelAction, endAction, isUnderWay } from "./ending.ts";
import { actionEvent, scheduledEvent } from "./events.ts";
import { actionOf, type NetworkFacts, type StoredAction, type Target } from "./facts.ts";
import { objectionTo } from "./objections.ts";
import { freeSlot, placeAction, without } from "./placement.ts";

/** The outcome of a user's change to an action. The store adds the action and its job where necessary. */
export type ActionDecision =
  | { kind: "changed" }
  | { kind: "refused" }
  | { kind: "absent" }
  | { kind: "twin"; jobId: string }
  | { kind: "objected"; objection: Objection }
  | { kind: "never"; reason: PendingReason };

/** Checks person and twins, and chooses the slot. A dry run is this decision with its changes dropped. */
export function decideSchedule(request: ScheduleAction, facts: NetworkFacts): Decision<ScheduleOutcome> {
  return doneBy(request.job.userId, scheduleAction(request, facts));
}

function scheduleAction({ action, job }: ScheduleAction, facts: NetworkFacts): Decision<ScheduleOutcome> {
  const record = facts.accountOf(action.workspaceId, action.accountId);
  if (record === null) return { outcome: { kind: "accountGone" }, changes: [] };
  const twins = facts.twins(record.seq, action);
  const open = openTwin(twins);
  const twin = open === null ? null : facts.target(open);
  if (twin !== null)
    return {
      outcome: { kind: "existing", action: actionOf(twin.row, action.accountId), job: twin.job },
      changes: [],
    };
  const now = job.createdAt;
  const objection = objectionTo(record.seq, action, facts, now);
  if (objection !== null) return { outcome: { kind: "objected", objection }, changes: [] };
  const { slot, changes } = placeAction(record, action, facts, now);
  if (slot.at === null) return { outcome: { kind: "never", reason: slot.reason }, changes: [] };
  const awaitsApproval = action.state === "awaitingApproval";
  const placed: NetworkAction = {
    ...action,
    slotAt: awaitsApproval ? null : slot.at,
    pendingReason: awaitsApproval ? "awaitingApproval" : slot.reason,
  };
  const placedJob: Job = { ...job, runAt: awaitsApproval ? neverAt : slot.at };
  const ended = twins.filter(({ state }) => !openStates.includes(state)).map(({ seq }) => seq);
  if (ended.length > 0) changes.push({ kind: "closeTwins", seqs: ended });
  changes.push(
    { kind: "insert", action: placed, account: record.seq, used: 0, job: placedJob },
    scheduledEvent(record, placed, placed.slotAt, now),
    { kind: "queue", account: record.seq, replan: !slot.isFree },
  );
  return { outcome: { kind: "scheduled", action: placed, job: placedJob }, changes };
}

/** Stores an action that was performed elsewhere, so that it counts toward the caps. */
export function decideRecord(
  { action, job }: ScheduleAction,
  relation: Relation | null,
  facts: NetworkFacts,
): Decision<ScheduleOutcome> {
  const record = facts.accountOf(action.workspaceId, action.accountId);
  if (record === null) return { outcome: { kind: "accountGone" }, changes: [] };
  // The person may already be connected or pending because of the recorded action.
  const objection = objectionTo(record.seq, action, facts, job.createdAt);
  if (objection?.kind === "doNotContact") return { outcome: { kind: "objected", objection }, changes: [] };
  const attempt = { wasSent: true, shown: relation, reference: null };
  const known = facts.contact(record.seq, action.profileKey);
  return doneBy(job.userId, {
    outcome: { kind: "scheduled", action, job },
    changes: [
      { kind: "insert", action, account: record.seq, used: 1, job },
      actionEvent("action.completed", record, action, job.createdAt, { outcome: "recorded" }),
      ...contactAfter(record, action, action.actionType, attempt, known, action.slotAt ?? 0),
      { kind: "queue", account: record.seq, replan: true },
    ],
  });
}

/** Schedules an action that was waiting for approval. */
export function decideApproval(target: Target | null, facts: NetworkFacts, now: number): Decision<ActionDecision> {
  return ifIn(["awaitingApproval"], target, (found) => enqueue(found, found.row, facts, now));
}

/** Changes the content or the earliest time of an action that has not started. */
export function decideEdit(
  target: Target | null,
  edit: ActionEdit,
  facts: NetworkFacts,
  now: number,
): Decision<ActionDecision> {
  return ifIn(["awaitingApproval", "scheduled"], target, (found) => editAction(found, edit, facts, now));
}

export function decideCancel(target: Target | null, now: number): Decision<ActionDecision> {
  return ifIn(["awaitingApproval", "scheduled", "awaiting"], target, (found) =>
    isUnderWay(found.row) ? refused : changed(cancelAction(found, now)),
  );
}

/** Stores the outcome of an action whose outcome was unknown, as reported by a person. */
export function decideResolution(target: Target | null, end: ActionEnd, facts: NetworkFacts): Decision<ActionDecision> {
  // It counts from the time of the attempt, not from when the person checked.
  return ifIn(["unknown"], target, (found) => changed(endAction(found, end, facts, found.row.slotAt ?? end.at)));
}

/** Ends a delegated action with the outcome its receiver reported. */
export function decideDelegatedEnd(
  target: Target | null,
  waitsFor: readonly PendingReason[],
  end: ActionEnd,
  facts: NetworkFacts,
): Decision<ActionDecision> {
  return ifIn(["awaiting", "sending"], target, (found) => {
    const isExpected = waitsFor.some((reason) => reason === found.row.pendingReason || isEarly(found, reason));
    return isExpected ? changed(endAction(found, end, facts)) : refused;
  });
}

/** Schedules a canceled or failed action again; one that was never approved waits for approval again. */
export function decideRetry(target: Target, facts: NetworkFacts, now: number): Decision<ActionDecision> {
  return target.row.pendingReason === "awaitingApproval"
    ? changed(awaitApproval(target, now))
    : enqueue(target, target.row, facts, now);
}

/** The job of the open action with the same target; null if there is none. */
export function openTwin(twins: ReturnType<NetworkFacts["twins"]>): string | null {
  return twins.find(({ state }) => openStates.includes(state))?.jobId ?? null;
}

/** Adds an action to the queue of its account. `content`: the action as it will be stored. */
function enqueue(
  { row, job, record }: Target,
  content: StoredAction,
  facts: NetworkFacts,
  now: number,
): Decision<ActionDecision> {
  const objection = objectionTo(record.seq, content, facts, now);
  if (objection !== null) return { outcome: { kind: "objected", objection }, changes: [] };
  const ownSlotFree = { ...facts, timeline: (account: number) => without(row, facts.timeline(account)) };
  const { slot, changes } = placeAction(record, content, ownSlotFree, now);
  if (slot.at === null) return { outcome: { kind: "never", reason: slot.reason }, changes: [] };
  const pendingReason = slot.reason;
  return changed([
    ...changes,
    { kind: "state", row, state: "scheduled", pendingReason, used: 0, slotAt: slot.at, at: now },
    { kind: "job", job, change: { status: "pending", runAt: slot.at, leaseUntil: null, updatedAt: now } },
    { kind: "queue", account: record.seq, replan: content.isUrgent },
    scheduledEvent(record, { ...content, state: "scheduled" }, slot.at, now),
  ]);
}

function editAction(target: Target, edit: ActionEdit, facts: NetworkFacts, now: number): Decision<ActionDecision> {
  const { row, job, record } = target;
  const { message = row.message, details = row.details, notBefore = row.notBefore, targetKey = row.targetKey } = edit;
  const edited = { ...row, message, details, notBefore, targetKey };
  const twin = targetKey === row.targetKey ? null : openTwin(facts.twins(record.seq, edited));
  if (twin !== null) return { outcome: { kind: "twin", jobId: twin }, changes: [] };
  const content: NetworkChange = {
    kind: "content",
    row,
    ...{ message, details, notBefore, targetKey },
    hasNote: hasNote(edited),
    at: now,
  };
  if (row.state === "awaitingApproval") return changed([content]);
  if (edit.needsApproval === true) return changed([content, ...awaitApproval(target, now)]);
  const keepsTime = notBefore === row.notBefore || (notBefore > row.notBefore && notBefore <= (row.slotAt ?? 0));
  if (keepsTime && row.hasNote === hasNote(edited)) {
    if (job.status !== "running") return changed([content]);
    // Speech that is being generated has the old text, so its claim becomes void.
    const requeued = { status: "pending", leaseUntil: null, updatedAt: now } as const;
    return changed([content, { kind: "job", job, change: requeued }]);
  }
  const moved = enqueue(target, edited, facts, now);
  if (moved.outcome.kind !== "changed") return moved;
  return changed([...moved.changes, ...freeSlot(record, row), content]);
}

function awaitApproval({ row, job, record }: Target, now: number): NetworkChange[] {
  const pendingReason = "awaitingApproval";
  const waiting = { status: "pending", runAt: neverAt, leaseUntil: null, message: "", completedAt: null } as const;
  return [
    ...freeSlot(record, row),
    { kind: "state", row, state: "awaitingApproval", pendingReason, used: 0, slotAt: null, at: now },
    { kind: "job", job, change: { ...waiting, updatedAt: now } },
    actionEvent("action.approval_required", record, row, now),
  ];
}

/** The receiver of a webhook may report before its own response to the call was stored. */
function isEarly({ row, record }: Target, waitsFor: PendingReason): boolean {
  const isInCall = row.state === "sending" && row.pendingReason === null;
  return isInCall && waitsFor === "awaitingVendor" && record.account.connector === "webhook";
}

function ifIn(
  states: readonly ActionState[],
  target: Target | null,
  decide: (target: Target) => Decision<ActionDecision>,
): Decision<ActionDecision> {
  if (target === null) return { outcome: { kind: "absent" }, changes: [] };
  return states.includes(target.row.state) ? decide(target) : refused;
}

function changed(changes: readonly NetworkChange[]): Decision<ActionDecision> {
  return { outcome: { kind: "changed" }, changes };
}

const refused: Decision<ActionDecision> = { outcome: { kind: "refused" }, changes: [] };
