import type { Lock } from "../../platform/base/lock.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/**
 * For a transaction that decides about people of this user (null: of no user): until it ends, no entry that applies to the user is added.
 * Otherwise an entry and a lead or an action of the same person could both be committed.
 */
export function locksOfReader(workspaceId: WorkspaceId | null): Lock[] {
  return [lockOf(workspaceId, true), lockOf(null, true)];
}

/** For a transaction that adds an entry; null: one that applies to every user. */
export function lockOfWriter(workspaceId: WorkspaceId | null): Lock {
  return lockOf(workspaceId, false);
}

function lockOf(workspaceId: WorkspaceId | null, isShared: boolean): Lock {
  return { key: `suppressions ${workspaceId ?? "*"}`, isShared };
}
