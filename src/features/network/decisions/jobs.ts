import type { Job } from "../../../platform/jobs/model.ts";
import { hasEnded } from "../../../platform/jobs/transitions.ts";
import type { AccountState } from "../account-model.ts";
import type { NetworkAction } from "../action-model.ts";
import type { ActionEnd } from "../queue-model.ts";
import { actionMessage, actionMetadata, objectionText } from "../texts.ts";
import type { Decision } from "./changes.ts";
import { cancelAction, endAction, isUnderWay } from "./ending.ts";
import type { NetworkFacts, Target } from "./facts.ts";
import { decideRetry, openTwin, type ActionDecision } from "./scheduling.ts";

/** The outcome of a client's change to the job of an action. */
export type JobDecision = { kind: "changed" } | { kind: "refused"; reason?: string };

/** The job of an action with details from the action: what it is waiting for, and until when. */
export function describeJob(job: Job, action: NetworkAction, state: AccountState): Job {
  const metadata = { ...job.metadata, ...actionMetadata(action, job.runAt, state) };
  return { ...job, metadata, message: job.message === "" ? actionMessage(action, state) : job.message };
}

export function decideJobCancel(target: Target | null, now: number): Decision<JobDecision> {
  if (target === null || hasEnded(target.job)) return refuse();
  if (isUnderWay(target.row))
    return refuse("This action is being sent and can no longer be canceled. Check its outcome in a minute.");
  return { outcome: { kind: "changed" }, changes: cancelAction(target, now) };
}

export function decideJobRetry(target: Target | null, facts: NetworkFacts, now: number): Decision<JobDecision> {
  if (target === null || target.job.status !== "failed") return refuse();
  const { row, job, record } = target;
  if (job.metadata["erased"] === true) return refuse("The person's data was erased, so the action can't be retried.");
  if (row.state === "unknown")
    return refuse(
      "The outcome of this action is unknown, so it is not repeated. Check the profile, then report the outcome with POST /api/v2/network/actions/{jobId}/resolve.",
    );
  if (openTwin(facts.twins(record.seq, row)) !== null)
    return refuse("The same action for this profile is already scheduled.");
  const { canceled: _canceled, outcome: _outcome, reason: _reason, ...metadata } = job.metadata;
  const reset = { metadata, failures: 0, message: "", completedAt: null, progress: 0 };
  const { outcome, changes } = decideRetry(target, facts, now);
  if (outcome.kind !== "changed") return refuse(reasonOf(outcome));
  return {
    outcome: { kind: "changed" },
    changes: changes.map((each) => (each.kind === "job" ? { ...each, change: { ...reset, ...each.change } } : each)),
  };
}

/** The runner gave up on a job. What was being sent then has an unknown outcome. */
export function decideGivenUp(target: Target | null, message: string, facts: NetworkFacts, at: number): Decision<void> {
  const nothing = { outcome: undefined, changes: [] };
  if (target === null || !["scheduled", "sending", "awaiting"].includes(target.row.state)) return nothing;
  const { state, slotAt } = target.row;
  const end: Omit<ActionEnd, "state"> = { message, metadata: {}, reference: null, relation: null, at };
  const changes =
    state === "sending"
      ? endAction(target, { ...end, state: "unknown" }, facts, slotAt ?? at)
      : endAction(target, { ...end, state: "failed" }, facts);
  return { outcome: undefined, changes };
}

function reasonOf(outcome: ActionDecision): string | undefined {
  if (outcome.kind === "objected") return `Cannot be sent: ${objectionText(outcome.objection)}`;
  if (outcome.kind === "never") return "No available time found. Check the working hours and caps of the account.";
  return undefined;
}

function refuse(reason?: string): Decision<JobDecision> {
  return { outcome: reason === undefined ? { kind: "refused" } : { kind: "refused", reason }, changes: [] };
}
