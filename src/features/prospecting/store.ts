import type { ChargeCredits, Exhausted, SettleCredits } from "../credits/change-model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { TermQuery } from "./facets/query.ts";
import type {
  CompanyNames,
  NewProspect,
  ProspectBatch,
  ProspectImportCounts,
  ProspectReportRow,
} from "./directory-model.ts";
import type { ProspectIdentity } from "./keys.ts";
import type { CompanyContent, FacetName, Prospect, ProspectReportOutcome, SavedSearch } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type ProspectSearch = { workspaceId: WorkspaceId; query: TermQuery; offset: number; limit: number };
/** `total` is the exact number of matches. Prospects are sorted by tier, best first, then by order of arrival. */
export type ProspectPage = { total: number; prospects: Prospect[] };

export type FacetRequest = {
  workspaceId: WorkspaceId;
  facet: FacetName;
  /** Folded prefix of a word of the value; "" = all values. */
  text: string;
  limit: number;
  /** Only matching prospects are counted. */
  query: TermQuery;
};
/** `lists`: of keys of terms, each of which a prospect must have. */
export type MatchCounts = { workspaceId: WorkspaceId; query: TermQuery; lists: string[][] };
export type FacetCount = { value: string; label: string; count: number };

/**
 * Prospects to charge a user for, each counted once. Prospects paid for at `freeSince` or later are not charged again.
 */
export type Reveal = { workspaceId: WorkspaceId; ids: readonly string[]; freeSince: number };
export type RevealPayment =
  /** Charges `each` for every prospect that is not free. */
  | { kind: "charge"; each: number; charge: Omit<ChargeCredits, "amount"> }
  /** The same, from a reservation; charges nothing if that has been released. */
  | {
      kind: "settle";
      each: number;
      settlement: Omit<SettleCredits, "items">;
      entry: { entryId: string; item: string };
    };
export type RevealOutcome = { kind: "charged"; charged: number; balance: number } | Exhausted;

/** Numbers of prospects that may match a batch, by key. Looked up while the previous batch is stored. */
export type BatchHints = { release(): void; of(key: number): readonly number[] };

export type ProspectReportRequest = {
  workspaceId: WorkspaceId;
  jobId: string;
  outcome: ProspectReportOutcome | null;
  afterRow: number;
  limit: number;
};

/** Prospect directories, one per user. Duplicates are merged when stored; searches include everything stored before. */
export type ProspectStore = {
  search(search: ProspectSearch): Promise<ProspectPage>;
  /** Values of a facet, most frequent first. */
  facet(request: FacetRequest): Promise<FacetCount[]>;
  /** About `size` matches from all over the directory; all of them if there are no more. */
  sample(request: { workspaceId: WorkspaceId; query: TermQuery; size: number }): Promise<Prospect[]>;
  /** For each list of terms, the exact number of matches that have all of them. */
  matchCounts(request: MatchCounts): Promise<number[]>;
  get(workspaceId: WorkspaceId, id: string): Promise<Prospect | null>;
  /** Deletes permanently; false if the prospect does not exist. */
  remove(workspaceId: WorkspaceId, id: string): Promise<boolean>;
  /** Records the lead that was created from the prospect. */
  setLead(workspaceId: WorkspaceId, id: string, leadId: string): Promise<void>;
  /** Stores results of a live source, merging them with existing prospects. Returns the prospects in the same order. */
  put(workspaceId: WorkspaceId, found: NewProspect[], at: number): Promise<Prospect[]>;
  /** Number of prospects that are not free. */
  unpaid(reveal: Reveal): Promise<number>;
  /** Charges for prospects and records the payment, all or nothing. Writes nothing if all are free. */
  reveal(reveal: Reveal & { payment: RevealPayment }): Promise<RevealOutcome>;
  /** Starts looking up the people of a batch. */
  lookUp(batch: Pick<ProspectBatch, "workspaceId" | "rows">): Promise<BatchHints>;
  /**
   * Stores a batch, its report lines, and the job's progress. Returns the counts of the whole import so far, or null if
   * the attempt no longer holds the job; then nothing was stored. Releases the hints. A dry run also compares rows with
   * the predicted outcome of earlier rows, which is kept for the attempt, so each attempt counts and reports from the
   * first row. It does not predict company details that are passed on to people.
   */
  importBatch(batch: ProspectBatch, hints: BatchHints): Promise<ProspectImportCounts | null>;
  /** Call when an attempt at a dry run has ended. */
  forgetDryRun(jobId: string): void;
  importReport(request: ProspectReportRequest): Promise<ProspectReportRow[]>;
  /** Total number of rows across all pages, counted up to 10,000. */
  countImportReport(request: Pick<ProspectReportRequest, "jobId" | "outcome">): Promise<number>;
  /** Writes the index to disk after a large import, so that the next start is faster. */
  settle(workspaceId: WorkspaceId): Promise<void>;
  /** Finds a person by email or profile, or else by name and company. Null if none or several match. */
  findPerson(
    workspaceId: WorkspaceId,
    identity: Pick<ProspectIdentity, "email" | "network" | "name">,
  ): Promise<Prospect | null>;
  /** Stored data about a company. */
  findCompany(workspaceId: WorkspaceId, company: CompanyNames): Promise<CompanyContent | null>;
  /** People at a company, those with an email address first, at most `limit`. Incomplete for large companies. */
  colleagues(workspaceId: WorkspaceId, company: CompanyNames, limit: number): Promise<Prospect[]>;
};

export type SavedSearchStore = {
  insert(search: SavedSearch): Promise<void>;
  get(workspaceId: WorkspaceId, id: string): Promise<SavedSearch | null>;
  /** Newest first, at most `limit`, starting after `after`. */
  list(workspaceId: WorkspaceId, limit: number, offset: number, after?: TimePlace | null): Promise<SavedSearch[]>;
  count(workspaceId: WorkspaceId): Promise<number>;
  update(
    workspaceId: WorkspaceId,
    id: string,
    change: Partial<Pick<SavedSearch, "name" | "source" | "filters">> & { updatedAt: number },
  ): Promise<SavedSearch | null>;
  remove(workspaceId: WorkspaceId, id: string): Promise<boolean>;
};
