import type { Job, JobType, JobClaim, JobEnd } from "./model.ts";

export type JobContext = {
  /** The claim to use for writes; void once the lease is lost. */
  claim: JobClaim;
  /** Aborted when the server stops or the claim is lost: end soon, and in the second case write nothing more. */
  signal: AbortSignal;
  /**
   * Whether the lease has certainly not expired. To be asked before anything outside the database that must not happen
   * twice: another node may have claimed the job.
   */
  isHeld(): boolean;
  /** The new expiry for a write that extends the lease now. */
  leaseUntil(): number;
  /** Performs a write that must not be lost, retrying while the disk cannot be written to. */
  retryOnDiskFault<T>(write: () => Promise<T>): Promise<T>;
};

/** Runs jobs of one type. Jobs that throw are retried according to the retry policy. */
export type JobHandler = {
  type: JobType;
  /** Maximum number of concurrent jobs in this process. */
  concurrency: number;
  /** Claims wait until this many jobs can start, so that each is worth its transaction. */
  claimedTogether?: number;
  /** Replaces the store's `claim`, for features where more than the due time decides what can run. */
  claim?(request: { limit: number; now: number; leaseUntil: number }): Promise<{ jobs: Job[]; more: boolean }>;
  /** Returns null if the handler ended the job itself, in one operation with its own rows, or if its claim was void. */
  run(job: Job, context: JobContext): Promise<JobEnd | null>;
  /**
   * Called after the job has completed or failed and that is stored, to clean up. Not called if the process dies before
   * or the user cancels the job, so a periodic cleanup is needed as well.
   */
  onEnded?(job: Job, end: JobEnd): Promise<void>;
  /**
   * Called instead if the end was not stored, because the claim was void: the user has canceled the job, or another run
   * holds it.
   */
  onClaimLost?(job: Job): Promise<void>;
};
