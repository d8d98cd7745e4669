import { isoTime } from "../../../platform/base/clock.ts";
import { shortReason } from "../../../platform/events/model.ts";
import { actionKinds } from "../action-kinds.ts";
import { neverAt } from "../action-model.ts";
import { nextCoolDown } from "../cool-down.ts";
import type { ActionEnd, Delegation, Deferral } from "../queue-model.ts";
import type { Decision, NetworkChange } from "./changes.ts";
import { waitInQueue } from "./due.ts";
import { endAction } from "./ending.ts";
import { accountEvent, postponedEvent } from "./events.ts";
import type { NetworkFacts, Target } from "./facts.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Ends an attempt. It counts from when it was sent, which the network may have confirmed late. */
export function decideEnd(target: Target, end: ActionEnd, facts: NetworkFacts): NetworkChange[] {
  const { row } = target;
  return endAction(target, end, facts, row.used === 1 ? (row.slotAt ?? end.at) : end.at);
}

/** Handles an attempt without effect: the action returns to the queue, or fails after its last attempt. */
export function decideDeferral(target: Target, deferral: Deferral, facts: NetworkFacts): NetworkChange[] {
  switch (deferral.kind) {
    case "retry":
      return retryLater(target, deferral, facts);
    case "limited":
      return coolDown(target, deferral);
    case "signedOut":
      return signOut(target, deferral);
  }
}

/** Parks an action that a person or a vendor carries out. */
export function decideDelegation(
  { row, job }: Target,
  { to, reference, checkAt, message, at }: Delegation,
): NetworkChange[] {
  const pendingReason = to === "person" ? "awaitingPerson" : "awaitingVendor";
  return [
    { kind: "state", row, state: "awaiting", pendingReason, used: 1, slotAt: row.slotAt, at },
    ...(reference === null ? [] : [{ kind: "reference", row, reference } as const]),
    // The lease ends when it is time to check the outcome.
    { kind: "wait", jobId: job.id, status: "running", runAt: job.runAt, leaseUntil: checkAt, message, at },
  ];
}

/** Extends a worker's lease on an action of its user. */
export function decideRenewal({ row, job }: Target, workspaceId: WorkspaceId, leaseUntil: number): Decision<boolean> {
  const isWorkers = row.state === "sending" && row.pendingReason === "awaitingWorker";
  if (row.workspaceId !== workspaceId || !isWorkers) return { outcome: false, changes: [] };
  return { outcome: true, changes: [{ kind: "job", job, change: { leaseUntil } }] };
}

type As<Kind extends Deferral["kind"]> = Extract<Deferral, { kind: Kind }>;

function retryLater(target: Target, { message, retryAt, at }: As<"retry">, facts: NetworkFacts): NetworkChange[] {
  const { row, job, record } = target;
  const failures = job.failures + 1;
  if (failures >= job.maxAttempts) return endAction(target, failedEnd(job.maxAttempts, message, at), facts);
  const until = Math.max(retryAt, at + 1);
  return [
    { kind: "job", job, change: { failures } },
    { kind: "notBefore", row, notBefore: until },
    postponedEvent(record, row, message, until, at),
    ...waitInQueue(target, { until, reason: "retry" }, at, { message }),
  ];
}

function failedEnd(attempts: number, reason: string, at: number): ActionEnd {
  const message = `Failed after ${attempts} attempts. ${reason}`;
  return { state: "failed", message, metadata: { outcome: "failed", reason }, reference: null, relation: null, at };
}

/** The network asked the account to slow down: the meter cools down, longer with each consecutive signal. */
function coolDown(target: Target, signal: As<"limited">): NetworkChange[] {
  const { row, record } = target;
  const { meter } = actionKinds[row.actionType];
  const before = record.governed.coolDowns.find((each) => each.meter === meter);
  const next = nextCoolDown(meter, before, signal);
  const { until, reason } = next;
  const data = { meter, until: isoTime(until), reason: shortReason(reason) };
  return [
    { kind: "coolDown", account: record.seq, coolDown: next },
    accountEvent("account.limit_reached", record, signal.at, data),
    postponedEvent(record, row, signal.reason, until, signal.at),
    ...waitInQueue(target, { until, reason: "cooldown" }, signal.at, { keepsPlace: true }),
    { kind: "queue", account: record.seq, replan: true },
  ];
}

/** The network signed the account out: all actions wait until a person reconnects it. */
function signOut(target: Target, { reason, at }: As<"signedOut">): NetworkChange[] {
  const { row, record } = target;
  const isNews = record.account.state !== "needsReconnect";
  return [
    ...(isNews ? [accountEvent("account.reconnect_required", record, at, { reason: shortReason(reason) })] : []),
    { kind: "signOut", account: record.seq, reason, at },
    postponedEvent(record, row, reason, neverAt, at),
    ...waitInQueue(target, { until: Infinity, reason: "accountNeedsReconnect" }, at),
  ];
}
