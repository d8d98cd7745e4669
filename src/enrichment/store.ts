import type { ReserveCredits, ReserveOutcome, SettleCredits, SettleOutcome } from "../credits/store.ts";
import type { Job, JobMetadata } from "../jobs/model.ts";
import type { JobClaim } from "../jobs/store.ts";
import type { LeadIdentity } from "../leads/model.ts";
import type { FieldGroup } from "./fields.ts";
import type { EnrichmentFailure, EnrichmentResult, LeadToEnrich, Merged } from "./model.ts";

/** What providers said of a person when `groups` were wanted. */
export type StoredResult = { identity: LeadIdentity; groups: FieldGroup[]; merged: Merged; at: number };

export type ItemOutcome =
  | { kind: "enriched"; result: EnrichmentResult }
  | { kind: "failed"; failure: EnrichmentFailure };
export type EnrichmentItem = { n: number; input: LeadToEnrich; outcome: ItemOutcome | null };

export type FinishedBatch = {
  claim: JobClaim;
  outcomes: { n: number; outcome: ItemOutcome }[];
  results: StoredResult[];
  settlement: SettleCredits | null;
  metadata: JobMetadata;
  message: string;
  /** Percent. */
  progress: number;
  leaseUntil: number;
  at: number;
};

export type EnrichmentStore = {
  /** For each person the newest result since `since`, or null. */
  results(userId: string, people: LeadIdentity[], since: number): Promise<(StoredResult | null)[]>;
  /** Stores results and charges for them: both or neither. Null without a settlement. */
  finish(userId: string, results: StoredResult[], settlement: SettleCredits | null): Promise<SettleOutcome | null>;

  /** Stores a job with its leads and reserves its credits: all or, when they are exhausted, nothing. */
  submit(job: Job, leads: LeadToEnrich[], reserve: ReserveCredits | null): Promise<ReserveOutcome | null>;
  /** Leads of a job that are not done, in order, at most `limit`. */
  pending(jobId: string, limit: number): Promise<EnrichmentItem[]>;
  /** Stores what came of leads of a job, charges for it and tells its progress. False, and nothing, if the claim is void. */
  finishBatch(userId: string, batch: FinishedBatch): Promise<boolean>;
  /** Leads of a job that are done, behind number `afterN`, in order, at most `limit`. */
  done(jobId: string, afterN: number, limit: number): Promise<EnrichmentItem[]>;

  /** The order of providers that the user has set; null = none. */
  providers(userId: string): Promise<string[] | null>;
  setProviders(userId: string, providers: string[] | null): Promise<void>;

  /** What each provider took in the month (year * 100 + month). */
  spending(month: number): Promise<Record<string, number>>;
  /** Replaces what is known of the month. */
  saveSpending(month: number, spent: Record<string, number>): Promise<void>;

  /** Forgets results and leads of jobs from before, at most `limit` of each; answers how many. */
  forgetBefore(before: number, limit: number): Promise<number>;
};
