import type { Lock } from "../../platform/base/lock.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/**
 * For a transaction that enrolls leads of this workspace: otherwise two campaigns that leave out the leads of others
 * could enroll the same lead at the same time.
 */
export function lockOfEnrolling(workspaceId: WorkspaceId): Lock {
  return { key: `enrolling ${workspaceId}`, isShared: false };
}
