import type { FieldError } from "../../platform/base/errors.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { ProspectIdentity } from "./keys.ts";
import type { ProspectContent, ProspectOnDuplicate, ProspectReportOutcome } from "./model.ts";

// What goes into a directory, and what is reported about it.

export type NewProspect = { content: ProspectContent; identity: ProspectIdentity };

/** Hashes of `prospectKeys`. */
export type Keys = Float64Array | readonly number[];

/**
 * A row of a file: a person, a company, or the errors. `content` is a ProspectContent or CompanyContent as UTF-8 JSON,
 * in the form in which it is stored; hardly any row needs to be decoded. `beside`: see `besideName`.
 */
export type ProspectRow =
  | { row: number; kind: "person" | "company"; content: Uint8Array; keys: Keys; beside: number }
  | { row: number; errors: FieldError[] };

/**
 * Index data of the rows of a batch, in order: the hashes of `prospectKeys`, and the raw values of their terms, as
 * numbers. Saves the index from reading rows that were just stored.
 */
export type BatchTerms = {
  keys: Float64Array;
  keyCounts: Uint8Array;
  /** See `besideName`. */
  beside: Uint8Array;
  raws: Int32Array;
  /** 0: unknown; derived from the content. */
  rawCounts: Uint8Array;
  /** Values numbered from `from`, each as facet, space, and text. Numbers are valid within one epoch. */
  epoch: number;
  from: number;
  added: string[];
};

export type ProspectBatch = {
  workspaceId: WorkspaceId;
  /** The import job and the attempt that holds its lease. */
  jobId: string;
  attempt: number;
  rows: ProspectRow[];
  /** Index data of the same rows; null if not available. */
  found: BatchTerms | null;
  onDuplicate: ProspectOnDuplicate;
  /** Only decide and report; see `importBatch`. */
  dryRun: boolean;
  /** The last row of the file that this batch covers. The next batch starts after it, even after a crash. */
  lastRow: number;
  /** Progress through the file, in percent. */
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
  /** Number of rows that describe a company instead of a person. */
  companies: number;
};
export type ProspectReportRow = {
  row: number;
  outcome: ProspectReportOutcome;
  prospectId: string | null;
  errors: FieldError[];
};
/** At least one of the two. `domain` is lowercase. */
export type CompanyNames = { domain: string | null; name: string | null };
