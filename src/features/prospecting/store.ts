import type { ChargeCredits, Exhausted, SettleCredits } from "../credits/store.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { TermQuery } from "./facets/query.ts";
import type { ProspectIdentity } from "./keys.ts";
import type {
  CompanyContent,
  FacetName,
  Prospect,
  ProspectContent,
  ProspectOnDuplicate,
  ProspectReportOutcome,
  SavedSearch,
} from "./model.ts";

export type ProspectSearch = { userId: string; query: TermQuery; offset: number; limit: number };
/** `total` counts all that fit, exactly. Prospects: better tiers first, in a tier in the order in which they came. */
export type ProspectPage = { total: number; prospects: Prospect[] };

export type FacetRequest = {
  userId: string;
  facet: FacetName;
  /** Begins a word of the value, folded; "" = all. */
  text: string;
  limit: number;
  /** Only prospects that fit it are counted. */
  query: TermQuery;
};
export type FacetCount = { value: string; label: string; count: number };

/**
 * Prospects that a user gets to see, each counted once. Who was paid for at `freeSince` or later is not charged again.
 */
export type Reveal = { userId: string; ids: readonly string[]; freeSince: number };
export type RevealPayment =
  /** `each` for everyone who is not free. */
  | { kind: "charge"; each: number; charge: Omit<ChargeCredits, "amount"> }
  /** The same, out of what was reserved before; nothing when that was given back meanwhile. */
  | {
      kind: "settle";
      each: number;
      settlement: Omit<SettleCredits, "items">;
      entry: { entryId: string; item: string };
    };
export type RevealOutcome = { kind: "charged"; charged: number; balance: number } | Exhausted;

export type NewProspect = { content: ProspectContent; identity: ProspectIdentity };

/** Hashes of `prospectKeys`. */
export type Keys = Float64Array | readonly number[];

/**
 * A row of a file: a person, a company, or why it is neither. `content` is JSON of a ProspectContent or CompanyContent
 * in UTF-8, as it is stored: nearly no row needs a text made of it. `beside`: see `besideName`.
 */
export type ProspectRow =
  | { row: number; kind: "person" | "company"; content: Uint8Array; keys: Keys; beside: number }
  | { row: number; errors: FieldError[] };

/**
 * What the rows of a batch are found by, row after row: the hashes of `prospectKeys`, and the raw values that their terms
 * are made of, as numbers. So the index need not read again what was just stored.
 */
export type BatchTerms = {
  keys: Float64Array;
  keyCounts: Uint8Array;
  /** See `besideName`. */
  beside: Uint8Array;
  raws: Int32Array;
  /** 0: not told; the content says it. */
  rawCounts: Uint8Array;
  /** The values with the numbers from `from` on, each its facet, a space and its text. Numbers hold in one epoch. */
  epoch: number;
  from: number;
  added: string[];
};

export type ProspectBatch = {
  userId: string;
  /** The import job and the attempt that holds its lease. */
  jobId: string;
  attempt: number;
  rows: ProspectRow[];
  /** Of the same rows; null when nobody has them. */
  found: BatchTerms | null;
  onDuplicate: ProspectOnDuplicate;
  /** Decide and report only; see `importBatch`. */
  dryRun: boolean;
  /** The last row of the file that this batch covers; the next batch begins behind it, also after a crash. */
  lastRow: number;
  /** Percent of the file. */
  progress: number;
  leaseUntil: number;
  at: number;
};
export type ProspectImportCounts = {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  /** Of the rows those that tell of a company and not of a person. */
  companies: number;
};
/** Numbers that may be the persons of a batch, by key; to be had while the batch before it is stored. */
export type BatchHints = { release(): void; of(key: number): readonly number[] };

export type ProspectReportRow = {
  row: number;
  outcome: ProspectReportOutcome;
  prospectId: string | null;
  errors: FieldError[];
};
export type ProspectReportRequest = {
  userId: string;
  jobId: string;
  outcome: ProspectReportOutcome | null;
  afterRow: number;
  limit: number;
};

/** At least one of the two. `domain` is in lower case. */
export type CompanyNames = { domain: string | null; name: string | null };

/** Directories of prospects, one a user. Duplicates are merged as they come; searches see all that was stored before. */
export type ProspectStore = {
  search(search: ProspectSearch): Promise<ProspectPage>;
  /** The most frequent values first. */
  facet(request: FacetRequest): Promise<FacetCount[]>;
  get(userId: string, id: string): Promise<Prospect | null>;
  /** For good; false when there is none. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Notes which lead was made of it. */
  setLead(userId: string, id: string, leadId: string): Promise<void>;
  /** Stores what a live source found, or adds it to who is there already. Answers them in the same order. */
  put(userId: string, found: NewProspect[], at: number): Promise<Prospect[]>;
  /** How many of them are not free. */
  unpaid(reveal: Reveal): Promise<number>;
  /** Charges for prospects and notes that they are paid for, all or nothing. Writes nothing when all of them are free. */
  reveal(reveal: Reveal & { payment: RevealPayment }): Promise<RevealOutcome>;
  /** Starts to look for the persons of a batch. */
  lookUp(batch: Pick<ProspectBatch, "userId" | "rows">): Promise<BatchHints>;
  /**
   * Stores a batch, its report lines and the job's progress. Answers the counts of the whole import so far, or null
   * when the attempt no longer holds the job: then nothing was stored. Lets go of the hints.
   * A dry run compares with what it foresaw of earlier rows, which is kept for the attempt, so that each attempt counts
   * and reports from the first row on. That people get what the file says of their companies, it does not foresee.
   */
  importBatch(batch: ProspectBatch, hints: BatchHints): Promise<ProspectImportCounts | null>;
  /** To be called when an attempt at a dry run is over. */
  forgetDryRun(jobId: string): void;
  importReport(request: ProspectReportRequest): Promise<ProspectReportRow[]>;
  /** Rows on all pages together, counted up to 10,000. */
  countImportReport(request: Pick<ProspectReportRequest, "jobId" | "outcome">): Promise<number>;
  /** After many were stored: brings the index to disk, so that the next start has less to do. */
  settle(userId: string): Promise<void>;
  /** By e-mail or profile, else by name and company. Null when nobody fits, or when several namesakes do. */
  findPerson(userId: string, identity: Pick<ProspectIdentity, "email" | "network" | "name">): Promise<Prospect | null>;
  /** What is known of a company itself. */
  findCompany(userId: string, company: CompanyNames): Promise<CompanyContent | null>;
  /** People of a company, those who have an e-mail address first, at most `limit`; not all of a large one. */
  colleagues(userId: string, company: CompanyNames, limit: number): Promise<Prospect[]>;
};

export type SavedSearchStore = {
  insert(search: SavedSearch): Promise<void>;
  get(userId: string, id: string): Promise<SavedSearch | null>;
  /** Newest first, at most `limit`, behind `after`. */
  list(userId: string, limit: number, offset: number, after?: TimePlace | null): Promise<SavedSearch[]>;
  count(userId: string): Promise<number>;
  update(
    userId: string,
    id: string,
    change: Partial<Pick<SavedSearch, "name" | "source" | "filters">> & { updatedAt: number },
  ): Promise<SavedSearch | null>;
  remove(userId: string, id: string): Promise<boolean>;
};
