import type { Ids } from "../../platform/base/clock.ts";
import type { UserId } from "../../platform/base/ids.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { NetworkAccount } from "./account-model.ts";
import type { ActionContent } from "./action-input.ts";
import type { NetworkAction } from "./action-model.ts";

/** Maximum number of attempts that have no effect. */
const maxAttempts = 5;

/** Creates an action without a slot. */
export function newAction(
  content: ActionContent,
  account: NetworkAccount,
  leadId: string | null,
  ids: Ids,
  { notBefore, now }: { notBefore: number; now: number },
): NetworkAction {
  return {
    ...content,
    jobId: ids.next(now),
    workspaceId: account.workspaceId,
    accountId: account.id,
    leadId,
    enrollmentId: null,
    campaignId: null,
    campaignStep: null,
    state: "scheduled",
    pendingReason: null,
    slotAt: null,
    carriedOutAt: null,
    notBefore,
    draw: ids.random(),
    isUrgent: false,
    reference: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Creates the job of an action. `userId`: who schedules it. The store sets its time. */
export function jobOf(action: NetworkAction, account: NetworkAccount, userId: UserId | null): Job {
  const { jobId: id, workspaceId, actionType, profileUrl, createdAt, leadId } = action;
  return {
    id,
    workspaceId,
    userId,
    type: "linkedin_action",
    status: "pending",
    runAt: createdAt,
    attempt: 0,
    failures: 0,
    maxAttempts,
    leaseUntil: null,
    message: "",
    progress: 0,
    metadata: {
      actionType,
      profileUrl,
      accountId: account.id,
      connector: account.connector,
      maxAttempts,
      ...(leadId !== null && { leadId }),
    },
    payload: {},
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
  };
}
