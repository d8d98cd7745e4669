import type { AuditEntry } from "../auth/audit/model.ts";
import type { Job, JobClaim, JobEnd, JobFilter, JobPlace, JobStatus, JobType } from "./model.ts";
import type { WorkspaceId } from "../base/ids.ts";

export type JobPageRequest = {
  workspaceId: WorkspaceId;
  filter: JobFilter;
  limit: number;
  offset: number;
  after: JobPlace | null;
};

export type ClaimRequest = { type: JobType; limit: number; now: number; leaseUntil: number };

export type ClientChange =
  | { kind: "changed"; job: Job }
  | { kind: "absent" }
  /** The state of the job does not allow the change. `reason` explains why if it is not clear from the status. */
  | { kind: "refused"; job: Job; reason?: string };

/** `at`: the start of the interval. */
export type JobCount = { at: number; status: JobStatus; jobs: number };

export type JobStore = {
  /** Stores `audit`, if given, in the same operation. */
  insert(job: Job, audit?: AuditEntry): Promise<void>;
  get(workspaceId: WorkspaceId, id: string): Promise<Job | null>;
  /** Newest first, at most `limit`. */
  page(request: JobPageRequest): Promise<Job[]>;
  countByStatus(workspaceId: WorkspaceId, filter: JobFilter): Promise<Record<JobStatus, number>>;
  /** Counts jobs created at or after `from` by status and interval of `bucketMs` (since the epoch), oldest first. */
  countByTime(workspaceId: WorkspaceId, from: number, bucketMs: number): Promise<JobCount[]>;
  /**
   * As `countByTime`, of jobs created at or after `from`, by when they ended; open ones by when they run or are due. What
   * waits for a person, a worker, or a vendor counts as pending.
   */
  countByExecution(workspaceId: WorkspaceId, from: number, bucketMs: number): Promise<JobCount[]>;
  /**
   * Claims up to `limit` due jobs, first those with an expired lease (their runner died, which counts as a failure). Users
   * take turns, so that no one waits behind the whole queue of another user; for each user, the longest due job comes
   * first. Each job gets the lease and the next attempt number, which fences off later writes of an earlier runner.
   * Durable when it resolves.
   */
  claim(request: ClaimRequest): Promise<Job[]>;
  /** Extends the leases of valid claims. Returns the IDs of jobs whose claim is void. */
  renew(claims: JobClaim[], leaseUntil: number): Promise<string[]>;
  /**
   * Ends the claim. If the job ends, so does its network action, with an unknown outcome if it was being sent. False: the
   * claim is void and nothing was written.
   */
  end(claim: JobClaim, end: JobEnd): Promise<boolean>;
  /** When the next job of each type is due or its next lease expires. Types without one are missing. */
  dueTimes(types: readonly JobType[]): Promise<ReadonlyMap<JobType, number>>;
  /**
   * Ends a pending or running job as failed and marks it as canceled. The claim of its runner becomes void. "refused" if
   * the job has ended or its network action is being sent.
   */
  cancel(workspaceId: WorkspaceId, id: string, at: number): Promise<ClientChange>;
  /**
   * Returns a failed job to pending, due immediately, with a new count of failures. "refused" if it has not failed, or if
   * the outcome of its network action is unknown.
   */
  retry(workspaceId: WorkspaceId, id: string, at: number): Promise<ClientChange>;
  /** Whether the job with this ID, of any user, is pending, running, or failed after `failedAfter`. */
  isOpen(id: string, failedAfter: number): Promise<boolean>;
  /** Replaces the message until the job ends, or permanently if it has already ended. */
  editMessage(id: string, message: string, at: number): Promise<Job | null>;
  /** Counts the jobs of all users by status, for operators. */
  countAll(): Promise<Record<JobStatus, number>>;
};
