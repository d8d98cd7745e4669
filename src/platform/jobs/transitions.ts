import type { NewEvent } from "../events/model.ts";
import { endEventOf } from "./job-events.ts";
import { endedStatuses, type Job, type JobClaim, type JobEnd, type JobMetadata } from "./model.ts";
import type { WorkspaceId } from "../base/ids.ts";

export type JobChange = Partial<Job>;

/** Whether the claim is still valid. A parked job has no claim. */
export function isHeld(job: Job, { attempt }: Pick<JobClaim, "attempt">): boolean {
  return job.status === "running" && job.attempt === attempt && job.leaseUntil !== null;
}

export function hasEnded({ status }: Pick<Job, "status">): boolean {
  return endedStatuses.some((ended) => ended === status);
}

/** Whether the job is pending, running, or failed after `failedAfter`. */
export function isOpen({ status, updatedAt }: Job, failedAfter: number): boolean {
  return status !== "completed" && (status !== "failed" || updatedAt > failedAfter);
}

/** Whether the job ends with this claim. */
export function isFinal({ kind }: JobEnd): boolean {
  return kind === "completed" || kind === "failed";
}

/**
 * The job with the change, and the event for its end, if that is what the change is. A message that a client wrote for a
 * job that has ended does not apply to its next run.
 */
export function changedJob(job: Job, change: JobChange): { job: Job; event: NewEvent | null } {
  const changed = { ...job, ...change };
  if (hasEnded(changed)) return { job: changed, event: changed.status === job.status ? null : endEventOf(changed) };
  return { job: hasEnded(job) ? { ...changed, editedMessage: null } : changed, event: null };
}

/** The change that claims a job. A claim that expired counts as a failure: its runner died. */
export function claimedJob(
  { attempt, failures }: Job,
  { isAbandoned, leaseUntil, at }: { isAbandoned: boolean; leaseUntil: number; at: number },
) {
  return {
    status: "running",
    attempt: attempt + 1,
    failures: failures + (isAbandoned ? 1 : 0),
    leaseUntil,
    updatedAt: at,
  } as const;
}

/** The change that ends a claim. */
export function endedJob(job: Job, end: JobEnd): JobChange {
  const metadata: JobMetadata = { ...job.metadata, ...end.metadata };
  const change = { message: end.message, metadata, leaseUntil: null, updatedAt: end.at };
  switch (end.kind) {
    case "completed":
      return { ...change, status: "completed", progress: 100, completedAt: end.at };
    case "failed":
      return { ...change, status: "failed", completedAt: end.at };
    case "parked":
      return change;
    case "again":
      return { ...change, status: "pending", runAt: end.runAt, failures: job.failures + (end.countsAsAttempt ? 1 : 0) };
  }
}

/** The change that sets the message of a client: until the job ends, or permanently if it has already ended. */
export function editedJob(job: Job, message: string, at: number): JobChange {
  return { ...(hasEnded(job) ? { message } : { editedMessage: message }), updatedAt: at };
}

/** What becomes of a change that a client makes to a job. `ofAction`: the network decides about jobs of its actions. */
export type ClientDecision =
  | { kind: "absent" }
  | { kind: "refused"; job: Job }
  | { kind: "ofAction"; job: Job }
  | { kind: "change"; job: Job; change: JobChange };

export function decideCancel(job: Job | null, workspaceId: WorkspaceId, at: number): ClientDecision {
  if (job?.workspaceId !== workspaceId) return { kind: "absent" };
  if (hasEnded(job)) return { kind: "refused", job };
  return isOfAction(job) ? { kind: "ofAction", job } : { kind: "change", job, change: canceledJob(job, at) };
}

export function decideRetry(job: Job | null, workspaceId: WorkspaceId, at: number): ClientDecision {
  if (job?.workspaceId !== workspaceId) return { kind: "absent" };
  if (job.status !== "failed") return { kind: "refused", job };
  return isOfAction(job) ? { kind: "ofAction", job } : { kind: "change", job, change: retriedJob(job, at) };
}

/** Whether the job carries out a network action, which has a state of its own. */
export function isOfAction({ type }: Pick<Job, "type">): boolean {
  return type === "linkedin_action";
}

/** The change that ends a pending or running job before it is done. */
export function canceledJob(job: Job, at: number, message = "Canceled"): JobChange {
  const metadata = { ...job.metadata, canceled: true };
  return { status: "failed", message, metadata, leaseUntil: null, completedAt: at, updatedAt: at };
}

/** The change that retries a failed job immediately, with a new count of failures. */
function retriedJob(job: Job, at: number): JobChange {
  const { canceled: _canceled, ...metadata } = job.metadata;
  const again = { status: "pending", message: "Waiting to retry", runAt: at, leaseUntil: null } as const;
  return { ...again, metadata, failures: 0, completedAt: null, updatedAt: at };
}
