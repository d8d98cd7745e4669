import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { LeadFilter, LeadStatus } from "./model.ts";

/** What a bulk change sets in each lead; absent parts stay. */
export type LeadPatch = {
  status?: LeadStatus;
  addTags?: readonly string[];
  removeTags?: readonly string[];
  /** The member; null: unassigned; `inTurn`: the assignees of the batch, one after the other. */
  assignedTo?: UserId | null | "inTurn";
};

export const bulkOperations = ["update", "delete", "enroll"] as const;
export type BulkOperation = (typeof bulkOperations)[number];

export type MatchingRequest = {
  workspaceId: WorkspaceId;
  filter: LeadFilter;
  /** Only leads created before this time: others come while the change is running. */
  createdUntil: number;
  afterLead: number;
  limit: number;
};

/** `seq`: number of the lead in the store. */
export type MatchingLead = { seq: number; id: string; version: number };

export type BulkBatch = {
  workspaceId: WorkspaceId;
  jobId: string;
  attempt: number;
  leads: readonly MatchingLead[];
  change:
    | { kind: "update"; patch: LeadPatch; assignees: readonly UserId[] }
    | { kind: "delete" }
    /** Something else has processed the leads; the reasons are those of the leads that it skipped. */
    | { kind: "processed"; skipped: Readonly<Record<string, number>> };
  /** Leads that changed since they were found are skipped, instead of the outcome "stale". */
  skipsStale: boolean;
  actorId: UserId | null;
  leaseUntil: number;
  at: number;
};

/** `processed` = `changed` + `unchanged` + the sum of `skipped`, which counts leads by reason. */
export type BulkCounts = {
  /** Leads that matched when the change began. */
  total: number;
  processed: number;
  changed: number;
  /** Leads that already were as requested. */
  unchanged: number;
  skipped: Record<string, number>;
};

export type BulkOutcome = BulkCounts | "memberLeft" | "stale" | null;
