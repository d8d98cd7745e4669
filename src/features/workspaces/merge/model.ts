import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** What a workspace owns, in the order in which a report lists it. */
export const mergedKinds = [
  "leads",
  "prospects",
  "doNotContact",
  "networkAccounts",
  "campaigns",
  "voices",
  "savedSearches",
  "webhooks",
  "members",
  "invitations",
  "keys",
  "jobs",
  "events",
] as const;
export type MergedKind = (typeof mergedKinds)[number];

/** `united`: those that the other workspace has too, so that one of both remains. */
export type Merged = { moved: number; united: number };

export type MergeReport = {
  merged: Record<MergedKind, Merged>;
  /** Balances of both workspaces before, in credits. Afterwards, the remaining one has their sum. */
  credits: { from: number; into: number };
  /** Names of moved network accounts that were paused because the other workspace has the same account of a vendor. */
  pausedAccounts: string[];
};

export type MergeRequest = {
  from: WorkspaceId;
  into: WorkspaceId;
  at: number;
  /** Reports what a merge would do, and stores nothing. Of prospects, it cannot tell which are united. */
  dryRun: boolean;
  audit: AuditEntry;
};

/** `absent`: one of the workspaces does not exist. `busy`: so many jobs of both have not ended. */
export type MergeOutcome =
  | { kind: "merged"; report: MergeReport }
  | { kind: "absent"; id: WorkspaceId }
  | { kind: "busy"; jobs: number };

/** Joins two workspaces. With the embedded database, no server may use it: processes keep what they know of a workspace. */
export type MergeStore = {
  /**
   * Moves everything that `from` owns to `into`, by the same rules as duplicates are found by elsewhere, and removes `from`.
   * In one transaction, except for prospects, which the embedded engine copies before in batches. After a crash, it can
   * be repeated.
   */
  merge(request: MergeRequest): Promise<MergeOutcome>;
};
