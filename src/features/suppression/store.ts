import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { Reachable, Suppression, SuppressionFilter, SuppressionMatch, SuppressionTarget } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** `existing`: `id` is that of the entry that was already listed. */
export type AddSuppressionOutcome = { outcome: "added" | "existing"; id: string };

export type SuppressionPageRequest = {
  workspaceId: WorkspaceId;
  filter: SuppressionFilter;
  /** `next` of the previous page. */
  after: number | null;
  limit: number;
};

/** `next` is null on the last page. */
export type SuppressionPage = { entries: Suppression[]; next: number | null };

export type SuppressionStore = {
  /**
   * Stores entries in one transaction. Values that are already listed keep their entry; if the new entry has no value,
   * the value and reason of the existing one are erased and only its hash remains. Outcomes are in order.
   */
  add(entries: readonly Suppression[]): Promise<AddSuppressionOutcome[]>;
  /** An entry of the workspace or the installation. */
  get(workspaceId: WorkspaceId, id: string): Promise<Suppression | null>;
  /** Newest first, at most `limit`. */
  page(request: SuppressionPageRequest): Promise<SuppressionPage>;
  /** Exact number of matching entries. */
  count(workspaceId: WorkspaceId, filter: SuppressionFilter): Promise<number>;
  /** Removes an entry of the workspace or the installation; false if it does not exist. */
  remove(workspaceId: WorkspaceId, id: string, audit?: AuditEntry): Promise<boolean>;
  /** Erases value and reason of an entry of the workspace or the installation, which stays in effect. Null if it does not exist. */
  forgetValue(workspaceId: WorkspaceId, id: string, audit?: AuditEntry): Promise<Suppression | null>;
  /** Resolves once everything this request has stored so far is durable; rejects if the commit fails. */
  durable(): Promise<void>;
  /** All entries of the workspace or the installation that block this target. */
  matches(workspaceId: WorkspaceId, target: SuppressionTarget): Promise<SuppressionMatch[]>;
  /** For each person, in order, whether an entry of the workspace or the installation blocks them. */
  among(workspaceId: WorkspaceId, people: readonly Reachable[]): Promise<boolean[]>;
};
