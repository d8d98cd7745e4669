import type {
  ChangeLeadOutcome,
  DoNotContact,
  ImportBatch,
  ImportCounts,
  ImportReportRequest,
  ImportReportRow,
  InsertLead,
  InsertLeadOutcome,
  RemoveLead,
  UpdateLead,
} from "./change-model.ts";
import type { Lead, LeadFilter, LeadIdentity, LeadPlace, LeadSort } from "./model.ts";

export type LeadPageRequest = {
  userId: string;
  filter: LeadFilter;
  sort: LeadSort;
  limit: number;
  offset: number;
  after: LeadPlace | null;
};

/** `next` is where the page behind this one begins; null when there is none. */
export type LeadPage = { leads: Lead[]; next: LeadPlace | null };

export type LeadStore = {
  /**
   * Stores a lead. With `onDuplicate` other than create, a lead of the same user that is the same person is looked for
   * in the same operation: `update` merges into it, `error` leaves everything as it is and answers "duplicate".
   * Nobody on the do-not-contact list is stored.
   */
  insert(request: InsertLead): Promise<InsertLeadOutcome>;
  /** As `insert`, for several as one operation, in which each sees those before it. Outcomes in their order. */
  insertAll(requests: readonly InsertLead[]): Promise<InsertLeadOutcome[]>;
  /** What `work` writes without waiting for anything but reads of single leads becomes durable as one operation. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** What `insert` would answer; stores nothing. */
  foretell(request: InsertLead): Promise<InsertLeadOutcome>;
  get(userId: string, id: string): Promise<Lead | null>;
  /** The user's lead that is the same person, by the rules of duplicates; never the one with the id `exceptId`. */
  findSame(userId: string, identity: LeadIdentity, exceptId: string | null): Promise<Lead | null>;
  /** In the order of `sort`, ties in the order of storing; at most `limit`. */
  page(request: LeadPageRequest): Promise<LeadPage>;
  /** Exact. */
  count(userId: string, filter: LeadFilter): Promise<number>;
  /**
   * Writes the content if the lead is still at `version`, and if no e-mail address, profile or phone number that it
   * brings is on the do-not-contact list; what the lead has already may stay.
   */
  update(request: UpdateLead): Promise<ChangeLeadOutcome | DoNotContact>;
  /** Deletes, and answers the lead as it was. */
  remove(request: RemoveLead): Promise<ChangeLeadOutcome>;
  /** The number that large tables name the user by, for whom the rows of an import are packed; null for an unknown user. */
  ownerNumber(userId: string): Promise<number | null>;
  /**
   * Stores a batch of an import, its report lines, and the job's progress, as one operation. Answers the counts of the
   * whole import so far, or null when the attempt no longer holds the job: then nothing was stored. Rows of people on
   * the do-not-contact list are skipped.
   */
  importBatch(batch: ImportBatch): Promise<ImportCounts | null>;
  /** Lines of an import's report behind row `afterRow`, by row, at most `limit`; of one outcome, or of all (null). */
  importReport(request: ImportReportRequest): Promise<ImportReportRow[]>;
  /** Rows on all pages together, counted up to 10,000. */
  countImportReport(request: Pick<ImportReportRequest, "jobId" | "outcome">): Promise<number>;
  /** Forgets what a dry run of this job noted to find repeats within the file, at most `limit` at once; fewer = all gone. */
  forgetDryRun(jobId: string, limit: number): Promise<number>;
};
