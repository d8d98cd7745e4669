import type { AuditEntry } from "../auth/audit/model.ts";
import type { Job, JobClaim, JobEnd, JobFilter, JobPlace, JobStatus, JobType } from "./model.ts";

export type JobPageRequest = {
  userId: string;
  filter: JobFilter;
  limit: number;
  offset: number;
  after: JobPlace | null;
};

export type ClaimRequest = { type: JobType; limit: number; now: number; leaseUntil: number };

export type ClientChange =
  | { kind: "changed"; job: Job }
  | { kind: "absent" }
  /** The job is in a state in which that can't be done; `reason`, where it is not plain from its status, says why. */
  | { kind: "refused"; job: Job; reason?: string };

/** `at`: the beginning of the stretch of time. */
export type JobCount = { at: number; status: JobStatus; jobs: number };

export type JobStore = {
  /** `audit`, where it is given, is stored in the same operation. */
  insert(job: Job, audit?: AuditEntry): Promise<void>;
  get(userId: string, id: string): Promise<Job | null>;
  /** Newest first, at most `limit`. */
  page(request: JobPageRequest): Promise<Job[]>;
  countByStatus(userId: string, filter: JobFilter): Promise<Record<JobStatus, number>>;
  /** Jobs created at or after `from`, counted by status and stretch of `bucketMs` (counted from the epoch), oldest first. */
  countByTime(userId: string, from: number, bucketMs: number): Promise<JobCount[]>;
  /**
   * Takes due jobs, at most `limit`, and first those whose lease ended (their runner died, which counts as a failure).
   * Users take turns, so that nobody waits behind all that another has queued; of each user, the longest due comes first. Each gets the lease and the next attempt number, which fences every later write of an older runner.
   * Durable when it resolves.
   */
  claim(request: ClaimRequest): Promise<Job[]>;
  /** Prolongs the leases of claims that still hold; answers the ids of jobs whose claim is void. */
  renew(claims: JobClaim[], leaseUntil: number): Promise<string[]>;
  /**
   * Ends the claim. A network action of a job that ends here is over too: as unknown when it was being sent. False: the
   * claim is void and nothing was written.
   */
  end(claim: JobClaim, end: JobEnd): Promise<boolean>;
  /** When the next job is due or the next lease ends; null when there is none. */
  nextDueAt(types: JobType[]): Promise<number | null>;
  /**
   * Ends a pending or running job as failed, marked as canceled; its runner finds its claim void. "refused" when it
   * has ended, or while its network action is being sent.
   */
  cancel(userId: string, id: string, at: number): Promise<ClientChange>;
  /**
   * Sets a failed job to pending again, due at once, with a fresh count of attempts. "refused" when it has not failed,
   * or when nobody knows whether its network action had its effect.
   */
  retry(userId: string, id: string, at: number): Promise<ClientChange>;
  /** True while the job of this id, whosever it is, is pending, running, or failed after `failedAfter`. */
  isOpen(id: string, failedAfter: number): Promise<boolean>;
  /** In the place of its own message until it ends; of one that has ended, for good. */
  editMessage(id: string, message: string, at: number): Promise<Job | null>;
  /** Jobs of all users by status, for operators. */
  countAll(): Promise<Record<JobStatus, number>>;
};
