import type { ReserveCredits, ReserveOutcome, SettleCredits, SettleOutcome } from "../credits/store.ts";
import type { Job, JobMetadata, JobClaim } from "../../platform/jobs/model.ts";
import type { LeadIdentity } from "../leads/model.ts";
import type { EnrichmentFailure, EnrichmentResult, LeadToEnrich, Merged, Verdict } from "./model.ts";

/**
 * What is known of a person who was paid for at `at`, all that was said of them included, wanted or not. `identity` is
 * what was known when they were paid for; `asked` are the providers who have said what they know.
 */
export type StoredResult = { identity: LeadIdentity; merged: Merged; asked: string[]; at: number };

/** A result that is to be paid for, with the item that it is charged as; null: it completes one that is paid for. */
export type NewResult = StoredResult & { item: string | null };

/**
 * What is stored together. With `freeSince`, a person whose result of that moment or later has been stored meanwhile,
 * by another request for the same one, is not charged and not stored again. `verdicts` take the place of those of before
 * `freeSince` on the same addresses; of all, where it is null.
 */
export type Payment = {
  results: NewResult[];
  verdicts?: Verdict[];
  settlement: SettleCredits | null;
  freeSince: number | null;
};
/** `free` are the items that were not charged because of `freeSince`. */
export type Paid = { settled: SettleOutcome | null; free: string[] };

export type ItemOutcome =
  | { kind: "enriched"; result: EnrichmentResult }
  | { kind: "failed"; failure: EnrichmentFailure };
export type EnrichmentItem = { n: number; input: LeadToEnrich; outcome: ItemOutcome | null };

export type FinishedBatch = {
  claim: JobClaim;
  /** What each has cost is told by the ledger. */
  outcomes: { n: number; outcome: ItemOutcome }[];
  payment: Payment;
  /** Merged into the job's; what was charged is added to its `creditsUsed`. */
  metadata: JobMetadata;
  message: string;
  /** Percent. */
  progress: number;
  leaseUntil: number;
  /** The last batch: the job has completed. */
  completes: boolean;
  at: number;
};

/** `creditsUsed` by the whole job so far; the outcomes of the batch with what each has cost. */
export type StoredBatch = { creditsUsed: number; outcomes: ItemOutcome[]; paid: Paid };

/** A job with its leads, to be stored. */
export type NewEnrichment = { job: Job; leads: LeadToEnrich[] };

export type EnrichmentStore = {
  /** For each person the newest result since `since`, or null. */
  results(userId: string, people: LeadIdentity[], since: number): Promise<(StoredResult | null)[]>;
  /** What verifiers have said of these addresses since `since`. */
  verdicts(userId: string, emails: readonly string[], since: number): Promise<Verdict[]>;

  /** Stores a job with its leads and reserves its credits: all or, when they are exhausted, nothing. */
  submit(job: Job, leads: LeadToEnrich[], reserve: ReserveCredits | null): Promise<ReserveOutcome | null>;
  /** Leads of a job that are not done, in order, at most `limit`. */
  pending(jobId: string, limit: number): Promise<EnrichmentItem[]>;
  /**
   * Stores what came of leads of a job, charges for it and updates its progress. Returns null, and does nothing, when the
   * claim is void.
   */
  finishBatch(userId: string, batch: FinishedBatch): Promise<StoredBatch | null>;
  /** As `finishBatch`, for a request that waits for it; `created` is stored first, in the same operation. */
  answerBatch(userId: string, batch: FinishedBatch, created: NewEnrichment | null): Promise<StoredBatch | null>;
  /** Leads of a job that are done, behind number `afterN`, in order, at most `limit`. */
  done(jobId: string, afterN: number, limit: number): Promise<EnrichmentItem[]>;
  /** How many have an outcome, counted up to 10,000. */
  countDone(jobId: string): Promise<number>;

  /** The order of providers that the user has set; null = none. */
  providers(userId: string): Promise<string[] | null>;
  setProviders(userId: string, providers: string[] | null): Promise<void>;

  /** What each provider took in the month (year * 100 + month). */
  spending(month: number): Promise<Record<string, number>>;
  /** Replaces what is known of the month. */
  saveSpending(month: number, spent: Record<string, number>): Promise<void>;

  /** Forgets results, verdicts and leads of jobs from before, at most `limit` of each; answers how many. */
  forgetBefore(before: number, limit: number): Promise<number>;
};
