import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { Suppression, SuppressionMatch } from "../suppression/model.ts";
import type { PackedRows } from "./import/packed-rows.ts";
import type { ImportOnDuplicate, ImportReportOutcome, Lead, LeadContent, LeadIdentity } from "./model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export type InsertLead = {
  lead: Lead;
  identity: LeadIdentity;
  onDuplicate: "create" | "update" | "error";
  /**
   * Canonical addresses of jobs that the person has left. A lead with one of these is the same person unless names
   * or profiles differ, and an entry of the do-not-contact list for one of them applies; one for its domain does not.
   */
  formerEmails?: readonly string[];
  /** Must be an active member of the workspace, or the outcome is "noMember". */
  assignee?: UserId;
  /** Who adds it; null or absent if it was no user. */
  actorId?: UserId | null;
};

export type InsertLeadOutcome =
  | { kind: "created" | "updated"; lead: Lead }
  | { kind: "duplicate"; lead: Lead }
  | NoMember
  | DoNotContact;

/** The person is on the do-not-contact list: nothing was stored. */
export type DoNotContact = { kind: "doNotContact"; match: SuppressionMatch };

/** The lead was to be assigned to a user who is no active member of the workspace: nothing was stored. */
export type NoMember = { kind: "noMember"; userId: UserId };

export type UpdateLead = {
  workspaceId: WorkspaceId;
  id: string;
  content: LeadContent;
  identity: LeadIdentity;
  /** The version that the content is based on; if the lead has another one, the outcome is "stale". */
  version: number;
  at: number;
  /** Must be an active member of the workspace, or the outcome is "noMember". */
  assignee?: UserId;
  /** Cause of the change, unless a user made it. */
  cause?: "enrichment";
  actorId?: UserId | null;
};

export type RemoveLead = {
  workspaceId: WorkspaceId;
  id: string;
  /** The lead must still have it; null: any version. */
  version: number | null;
  /** Entries that the same operation adds to the do-not-contact list, as `SuppressionStore.add` does. */
  suppress?: readonly Suppression[];
  at: number;
  /** Added to the audit log in the same operation. */
  audit?: AuditEntry;
  actorId?: UserId | null;
};

export type MergeLeads = {
  workspaceId: WorkspaceId;
  /** The versions that the content is based on. */
  keep: Pick<Lead, "id" | "version">;
  other: Pick<Lead, "id" | "version">;
  /** What the kept lead becomes. */
  content: LeadContent;
  identity: LeadIdentity;
  /** Entries for the merged person, which are added if one of the two is on the do-not-contact list. */
  suppress: readonly Suppression[];
  at: number;
  actorId: UserId | null;
  audit: AuditEntry;
};

/** In the last two cases, nothing was stored. */
export type MergeOutcome = { kind: "merged"; lead: Lead } | { kind: "stale" } | { kind: "absent"; id: string };

export type ChangeLeadOutcome = { kind: "changed"; lead: Lead } | { kind: "stale" } | { kind: "absent" };

export type ImportBatch = {
  workspaceId: WorkspaceId;
  /** The import job, and the attempt that holds its lease. */
  jobId: string;
  attempt: number;
  rows: PackedRows;
  onDuplicate: ImportOnDuplicate;
  /** The users whom its rows are assigned to. */
  assignees?: readonly UserId[];
  /** Decide and report only; leads are not changed. */
  dryRun: boolean;
  /** The last row of the batch; the next batch starts after it, also after a crash. */
  lastRow: number;
  /** Percent of the file. */
  progress: number;
  leaseUntil: number;
  at: number;
};

/** `doNotContact` rows, if any, are included in `skipped`. */
export type ImportCounts = {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  doNotContact?: number;
};

/**
 * Null: another attempt has the job, or it has ended. `memberLeft`: one of the assignees is no active member any more. In
 * both cases, nothing was stored.
 */
export type BatchOutcome = ImportCounts | "memberLeft" | null;

/** `code` if programs need to know the rule. */
export type ImportRowError = FieldError & { code?: "DO_NOT_CONTACT" };

/** The outcome of a row, and the reason if it did not become a new lead. */
export type ImportReportRow = {
  row: number;
  outcome: ImportReportOutcome;
  /** The existing lead of skipped and updated rows, or the created one. */
  leadId: string | null;
  errors: ImportRowError[];
};

export type ImportReportRequest = {
  workspaceId: WorkspaceId;
  jobId: string;
  /** Null: all but created rows. */
  outcome: ImportReportOutcome | null;
  afterRow: number;
  limit: number;
};
