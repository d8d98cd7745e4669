import type { ReserveCredits, ReserveOutcome, SettleCredits, SettleOutcome } from "../credits/change-model.ts";
import type { Job, JobMetadata, JobClaim } from "../../platform/jobs/model.ts";
import type { LeadIdentity } from "../leads/model.ts";
import type { EnrichmentFailure, EnrichmentResult, LeadToEnrich, Merged, Verdict } from "./model.ts";

/**
 * The result for a person who was paid for at `at`, including fields that were not requested. `identity` is what was
 * known at that time; `asked` are the providers that answered.
 */
export type StoredResult = { identity: LeadIdentity; merged: Merged; asked: string[]; at: number };

/** A result to store, with the credit item it is charged as; null if it completes a result that is already paid for. */
export type NewResult = StoredResult & { item: string | null };

/**
 * Results, verdicts, and charges to store in one transaction. With `freeSince`, a person for whom another request has
 * stored a result since that time is neither charged nor stored again. `verdicts` replace those from before `freeSince`
 * on the same addresses, or all of them if it is null.
 */
export type Payment = {
  results: NewResult[];
  verdicts?: Verdict[];
  settlement: SettleCredits | null;
  freeSince: number | null;
};
/** `free`: items that were not charged because of `freeSince`. */
export type Paid = { settled: SettleOutcome | null; free: string[] };

export type ItemOutcome =
  | { kind: "enriched"; result: EnrichmentResult }
  | { kind: "failed"; failure: EnrichmentFailure };
export type EnrichmentItem = { n: number; input: LeadToEnrich; outcome: ItemOutcome | null };

export type FinishedBatch = {
  claim: JobClaim;
  /** The cost of each is recorded in the ledger. */
  outcomes: { n: number; outcome: ItemOutcome }[];
  payment: Payment;
  /** Merged into the metadata of the job, whose `creditsUsed` increases by the amount charged. */
  metadata: JobMetadata;
  message: string;
  /** Percent. */
  progress: number;
  leaseUntil: number;
  /** Whether this is the last batch, which completes the job. */
  completes: boolean;
  at: number;
};

/** `creditsUsed` is the total of the job so far; `outcomes` of the batch include the cost of each. */
export type StoredBatch = { creditsUsed: number; outcomes: ItemOutcome[]; paid: Paid };

/** A new job with its leads. */
export type NewEnrichment = { job: Job; leads: LeadToEnrich[] };

export type EnrichmentStore = {
  /** The newest result since `since` for each person, or null. */
  results(userId: string, people: LeadIdentity[], since: number): Promise<(StoredResult | null)[]>;
  /** Verdicts on these addresses since `since`. */
  verdicts(userId: string, emails: readonly string[], since: number): Promise<Verdict[]>;

  /** Stores a job with its leads and reserves its credits. If the credits are exhausted, stores nothing. */
  submit(job: Job, leads: LeadToEnrich[], reserve: ReserveCredits | null): Promise<ReserveOutcome | null>;
  /** Pending leads of a job, in order, at most `limit`. */
  pending(jobId: string, limit: number): Promise<EnrichmentItem[]>;
  /**
   * Stores the outcomes of a batch, charges for it, and updates the progress of the job. Returns null and does nothing
   * if the claim is void.
   */
  finishBatch(userId: string, batch: FinishedBatch): Promise<StoredBatch | null>;
  /** Like `finishBatch`, for a direct request; `created` is stored first, in the same transaction. */
  answerBatch(userId: string, batch: FinishedBatch, created: NewEnrichment | null): Promise<StoredBatch | null>;
  /** Finished leads of a job after number `afterN`, in order, at most `limit`. */
  done(jobId: string, afterN: number, limit: number): Promise<EnrichmentItem[]>;
  /** Number of finished leads, counted up to 10,000. */
  countDone(jobId: string): Promise<number>;

  /** The provider order set by the user, or null. */
  providers(userId: string): Promise<string[] | null>;
  setProviders(userId: string, providers: string[] | null): Promise<void>;

  /** Spending by provider in a month (year * 100 + month). */
  spending(month: number): Promise<Record<string, number>>;
  /** Replaces the spending of the month. */
  saveSpending(month: number, spent: Record<string, number>): Promise<void>;

  /** Deletes results, verdicts, and job leads older than `before`, at most `limit` of each; returns how many. */
  forgetBefore(before: number, limit: number): Promise<number>;
};
