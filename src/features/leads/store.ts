import type {
  ChangeLeadOutcome,
  DoNotContact,
  ImportBatch,
  BatchOutcome,
  ImportReportRequest,
  ImportReportRow,
  InsertLead,
  MergeLeads,
  MergeOutcome,
  InsertLeadOutcome,
  NoMember,
  RemoveLead,
  UpdateLead,
} from "./change-model.ts";
import type { BulkBatch, BulkOutcome, MatchingLead, MatchingRequest } from "./bulk-job-model.ts";
import type { DuplicateGroup, DuplicateRequest } from "./duplicate-model.ts";
import type { Lead, LeadFilter, LeadIdentity, LeadPlace, LeadSort } from "./model.ts";
import type { LeadValue, ValuesRequest } from "./value-model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type LeadPageRequest = {
  workspaceId: WorkspaceId;
  filter: LeadFilter;
  sort: LeadSort;
  limit: number;
  offset: number;
  after: LeadPlace | null;
};

/** `next`: start of the next page; null on the last page. */
export type LeadPage = { leads: Lead[]; next: LeadPlace | null };

export type LeadStore = {
  /**
   * Stores a lead. Unless `onDuplicate` is create, the same operation searches the user's leads for the same person:
   * `update` merges into that lead, `error` changes nothing and returns "duplicate". People on the do-not-contact list
   * are not stored.
   */
  insert(request: InsertLead): Promise<InsertLeadOutcome>;
  /** Inserts several in one operation, in which each sees those before it. Outcomes in their order. */
  insertAll(requests: readonly InsertLead[]): Promise<InsertLeadOutcome[]>;
  /** The outcome that `insert` would have; stores nothing. */
  previewInsert(request: InsertLead): Promise<InsertLeadOutcome>;
  get(workspaceId: WorkspaceId, id: string): Promise<Lead | null>;
  /** Those that exist, in any order. */
  getAll(workspaceId: WorkspaceId, ids: readonly string[]): Promise<Lead[]>;
  /** The user's lead that is the same person, by the rules of duplicates; never the one with the ID `exceptId`. */
  findSame(workspaceId: WorkspaceId, identity: LeadIdentity, exceptId: string | null): Promise<Lead | null>;
  /** In the order of `sort`, ties oldest first; at most `limit`. */
  page(request: LeadPageRequest): Promise<LeadPage>;
  /** Exact. */
  count(workspaceId: WorkspaceId, filter: LeadFilter): Promise<number>;
  /**
   * Writes the content if the lead is still at `version` and no email address, profile, or phone number that it adds is
   * on the do-not-contact list; identifiers that the lead already has may stay.
   */
  update(request: UpdateLead): Promise<ChangeLeadOutcome | NoMember | DoNotContact>;
  /** Changes several leads of one user, each by its own outcome, in one operation. Outcomes in their order. */
  updateAll(requests: readonly UpdateLead[]): Promise<(ChangeLeadOutcome | NoMember | DoNotContact)[]>;
  /** Deletes the lead and returns it as it was. */
  remove(request: RemoveLead): Promise<ChangeLeadOutcome>;
  /** Deletes several leads of one user, each by its own outcome, in one operation. Outcomes in their order. */
  removeAll(requests: readonly RemoveLead[]): Promise<ChangeLeadOutcome[]>;
  /** Merges two leads, and lets everything that refers to the other one follow, in one operation. */
  merge(request: MergeLeads): Promise<MergeOutcome>;
  /** The IDs of the leads that these were merged into, by the given IDs; without IDs of leads that exist, or never did. */
  mergedInto(workspaceId: WorkspaceId, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Groups of leads with the same email address, profile, or name and company, by reason and value, at most `limit`. */
  duplicates(request: DuplicateRequest): Promise<DuplicateGroup[]>;
  countDuplicates(workspaceId: WorkspaceId): Promise<number>;
  /** Values of leads, the most frequent first, then by the alphabet. Spellings that differ in the case of ASCII letters are one. */
  values(request: ValuesRequest): Promise<LeadValue[]>;
  /** The leads that match the filter and follow `afterLead`, by number, at most `limit`. */
  matching(request: MatchingRequest): Promise<MatchingLead[]>;
  /**
   * Changes the leads of one batch of a bulk change, and stores the job's progress, in one operation. Returns the counts of
   * the job so far; null if the attempt no longer holds the job; "memberLeft" if an assignee is no active member any more;
   * "stale" if a lead has changed since it was found. In the last three cases, nothing was stored.
   */
  bulkBatch(batch: BulkBatch): Promise<BulkOutcome>;
  /** Number of leads in such a batch: as many as do not delay requests, since more of them share a commit. */
  readonly bulkLeadsAtOnce: number;
  /** Number of the user in large tables, which the packed rows of an import refer to; null if the user does not exist. */
  ownerNumber(workspaceId: WorkspaceId): Promise<number | null>;
  /** Number of rows of known people in a batch of an import that skips or updates them: as many as do not delay requests. */
  readonly knownRowsAtOnce: Readonly<Record<"skip" | "update", number>>;
  /**
   * Stores a batch of an import, its report, and the job's progress in one operation. Returns the counts of the import so
   * far, or null if the attempt no longer holds the job; then nothing is stored. Skips people on the do-not-contact
   * list.
   */
  importBatch(batch: ImportBatch): Promise<BatchOutcome>;
  /** The import's report after row `afterRow`, by row, at most `limit`. */
  importReport(request: ImportReportRequest): Promise<ImportReportRow[]>;
  /** Rows of the whole report, counted up to 10,000. */
  countImportReport(request: Pick<ImportReportRequest, "jobId" | "outcome">): Promise<number>;
  /** Deletes at most `limit` notes of a dry run and as many keys. Returns how many; fewer than `limit`: none is left. */
  forgetDryRun(jobId: string, limit: number): Promise<number>;
};
