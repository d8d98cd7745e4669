import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { Suppression, SuppressionMatch } from "../suppression/model.ts";
import type { PackedRows } from "./import/packed-rows.ts";
import type { ImportOnDuplicate, ImportReportOutcome, Lead, LeadContent, LeadIdentity } from "./model.ts";

export type InsertLead = {
  lead: Lead;
  identity: LeadIdentity;
  onDuplicate: "create" | "update" | "error";
  /**
   * Canonical addresses of jobs that the person has left. A lead with one of these is the same person unless names
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
