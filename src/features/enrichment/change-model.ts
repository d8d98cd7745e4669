import type { SettleCredits, SettleOutcome } from "../credits/change-model.ts";
import type { Job, JobClaim, JobMetadata } from "../../platform/jobs/model.ts";
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
