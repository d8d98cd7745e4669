import type { Job, JobMetadata, JobClaim, JobEnd } from "./model.ts";

export type JobChange = Partial<Job>;

/** Whether the claim is still valid. A parked job has no claim. */
export function isHeld(job: Job, { attempt }: Pick<JobClaim, "attempt">): boolean {
  return job.status === "running" && job.attempt === attempt && job.leaseUntil !== null;
}

export function hasEnded({ status }: Job): boolean {
  return status === "completed" || status === "failed";
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

/** The change that ends a pending or running job for its user. */
export function canceledJob(job: Job, at: number): JobChange {
  const metadata = { ...job.metadata, canceled: true };
  return { status: "failed", message: "Canceled", metadata, leaseUntil: null, completedAt: at, updatedAt: at };
}

/** The change that retries a failed job immediately, with a new count of failures. */
export function retriedJob(job: Job, at: number): JobChange {
  const { canceled: _canceled, ...metadata } = job.metadata;
  const again = { status: "pending", message: "Waiting to be retried", runAt: at, leaseUntil: null } as const;
  return { ...again, metadata, failures: 0, completedAt: null, updatedAt: at };
}
