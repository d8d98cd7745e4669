import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { Suppression, SuppressionMatch } from "../suppression/model.ts";
import type { PackedRows } from "./import/packed-rows.ts";
import type {
  ImportOnDuplicate,
  ImportReportOutcome,
  Lead,
  LeadContent,
  LeadFilter,
  LeadIdentity,
  LeadPlace,
  LeadSort,
} from "./model.ts";

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

export type InsertLead = {
  lead: Lead;
  identity: LeadIdentity;
  onDuplicate: "create" | "update" | "error";
  /**
   * Addresses of jobs that the person has left, in lower case. A lead with one of these is the same person unless names
   * or profiles differ, and an entry of the do-not-contact list for one of them holds; one for its domain does not.
   */
  formerEmails?: readonly string[];
};
export type InsertLeadOutcome =
  | { kind: "created" | "updated"; lead: Lead }
  | { kind: "duplicate"; lead: Lead }
  | DoNotContact;

/** The person is on the do-not-contact list: nothing was stored. */
export type DoNotContact = { kind: "doNotContact"; match: SuppressionMatch };

export type UpdateLead = {
  userId: string;
  id: string;
  content: LeadContent;
  identity: LeadIdentity;
  /** The version that the content was worked out from; another one now means "stale". */
  version: number;
  at: number;
  /** What changes it, if it is not its user. */
  cause?: "enrichment";
};

export type RemoveLead = {
  userId: string;
  id: string;
  /** Only if the lead is still at it; null: at any. */
  version: number | null;
  /** Added to the do-not-contact list in the same operation, as `SuppressionStore.add` does. */
  suppress?: readonly Suppression[];
  at: number;
  /** Written into the audit log in the same operation. */
  audit?: AuditEntry;
};
export type ChangeLeadOutcome = { kind: "changed"; lead: Lead } | { kind: "stale" } | { kind: "absent" };

export type ImportBatch = {
  userId: string;
  /** The import job and the attempt that holds its lease. */
  jobId: string;
  attempt: number;
  rows: PackedRows;
  onDuplicate: ImportOnDuplicate;
  /** Decide and report only; leads stay as they are. */
  dryRun: boolean;
  /** The last row of the file that this batch covers; the next batch begins behind it, also after a crash. */
  lastRow: number;
  /** Percent of the file. */
  progress: number;
  leaseUntil: number;
  at: number;
};

/** `doNotContact`, if there were any, are among the skipped ones. */
export type ImportCounts = {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  doNotContact?: number;
};

/** `code` where a program may want to know which rule it was. */
export type ImportRowError = FieldError & { code?: "DO_NOT_CONTACT" };

/** What became of a row of a file, and why where it did not become a new lead. */
export type ImportReportRow = {
  row: number;
  outcome: ImportReportOutcome;
  /** The lead that was there already, for skipped and updated rows, or that was created. */
  leadId: string | null;
  errors: ImportRowError[];
};

export type ImportReportRequest = {
  userId: string;
  jobId: string;
  /** Null: all but the created ones. */
  outcome: ImportReportOutcome | null;
  afterRow: number;
  limit: number;
};

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
