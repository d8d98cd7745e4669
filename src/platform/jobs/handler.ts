import type { Job, JobType, JobClaim, JobEnd } from "./model.ts";

export type JobContext = {
  /** Under which the handler writes; void once the lease is lost. */
  claim: JobClaim;
  /** Aborted when the server stops or the claim is lost: end soon, and write nothing more in the second case. */
  signal: AbortSignal;
  /** Until when a write that prolongs the lease now should prolong it. */
  leaseUntil(): number;
  /** Makes a write that must not be lost; while the disk is full it is tried again and again. */
  patiently<T>(write: () => Promise<T>): Promise<T>;
};

/** Carries out jobs of one type. What it throws makes the job run again, by the retry policy. */
export type JobHandler = {
  type: JobType;
  /** How many run at once in this process. */
  concurrency: number;
  /** Takes due jobs of its type in the place of the store's claim, for a feature that decides on more than the time. */
  claim?(request: { limit: number; now: number; leaseUntil: number }): Promise<{ jobs: Job[]; more: boolean }>;
  /** Null: the handler ended the job itself, in one operation with its own rows, or its claim was void. */
  run(job: Job, context: JobContext): Promise<JobEnd | null>;
  /**
   * The job has completed or failed, and that is written: what it needs no more may go. Not called when the process
   * dies before or the owner cancels, so somebody has to sweep as well.
   */
  ended?(job: Job, end: JobEnd): Promise<void>;
};
