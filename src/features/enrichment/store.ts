import type { ReserveCredits, ReserveOutcome } from "../credits/change-model.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { LeadIdentity } from "../leads/model.ts";
import type { EnrichmentItem, FinishedBatch, NewEnrichment, StoredBatch, StoredResult } from "./change-model.ts";
import type { LeadToEnrich, Verdict } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type EnrichmentStore = {
  /** The newest result since `since` for each person, or null. */
  results(workspaceId: WorkspaceId, people: LeadIdentity[], since: number): Promise<(StoredResult | null)[]>;
  /** Verdicts on these addresses since `since`. */
  verdicts(workspaceId: WorkspaceId, emails: readonly string[], since: number): Promise<Verdict[]>;

  /** Stores a job with its leads and reserves its credits. If the credits are exhausted, stores nothing. */
  submit(job: Job, leads: LeadToEnrich[], reserve: ReserveCredits | null): Promise<ReserveOutcome | null>;
  /** Pending leads of a job, in order, at most `limit`. */
  pending(jobId: string, limit: number): Promise<EnrichmentItem[]>;
  /**
   * Stores the outcomes of a batch, charges for it, and updates the progress of the job. Returns null and does nothing
   * if the claim is void.
   */
  finishBatch(workspaceId: WorkspaceId, batch: FinishedBatch): Promise<StoredBatch | null>;
  /** Like `finishBatch`, for a direct request; `created` is stored first, in the same transaction. */
  answerBatch(
    workspaceId: WorkspaceId,
    batch: FinishedBatch,
    created: NewEnrichment | null,
  ): Promise<StoredBatch | null>;
  /** Finished leads of a job after number `afterN`, in order, at most `limit`. */
  done(jobId: string, afterN: number, limit: number): Promise<EnrichmentItem[]>;
  /** Number of finished leads, counted up to 10,000. */
  countDone(jobId: string): Promise<number>;

  /** The provider order set by the user, or null. */
  providers(workspaceId: WorkspaceId): Promise<string[] | null>;
  setProviders(workspaceId: WorkspaceId, providers: string[] | null): Promise<void>;

  /** Spending by provider in a month (year * 100 + month). */
  spending(month: number): Promise<Record<string, number>>;
  /** Adds to the spending of the month, to the millionth. Returns the new sums of these providers. */
  addSpending(month: number, changes: Record<string, number>): Promise<Record<string, number>>;

  /** Deletes results, verdicts, and job leads older than `before`, at most `limit` of each; returns how many. */
  forgetBefore(before: number, limit: number): Promise<number>;
};
