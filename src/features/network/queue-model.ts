import type { Job } from "../../platform/jobs/model.ts";
import type { NetworkAccount } from "./account-model.ts";
import type { ActionDetails, ActionState, NetworkAction, Objection, PendingReason } from "./action-model.ts";
import type { Relation } from "./contact-model.ts";
import type { ChangedDays } from "./governor/calendar.ts";

export type AccountChange = { updatedAt: number } & Partial<
  Omit<NetworkAccount, "id" | "workspaceId" | "createdAt" | "workingHours">
> & {
    /** Only the changed days, so that concurrent changes of different days are both kept. */
    workingHours?: ChangedDays;
  };

export type ScheduleAction = {
  /** `slotAt` and `pendingReason` are set by the store; state `scheduled` or `awaitingApproval`. */
  action: NetworkAction;
  /** The job to insert with it. */
  job: Job;
};

export type ScheduleOutcome =
  | { kind: "scheduled"; action: NetworkAction; job: Job }
  /** An action of this type by this account for the same target is already scheduled. */
  | { kind: "existing"; action: NetworkAction; job: Job }
  | { kind: "objected"; objection: Objection }
  /** Its account has no working hours, or a cap of 0: no slot will ever be free. */
  | { kind: "never"; reason: PendingReason }
  | { kind: "accountGone" };

/** An action to process now: send it (already marked as sending), poll its vendor, or prepare it first. */
export type DueAction = {
  task: "send" | "follow" | "prepare";
  job: Job;
  action: NetworkAction;
  account: NetworkAccount;
};

/** How an action ended. `relation`: what the attempt revealed about the person. */
export type ActionEnd = {
  state: Extract<ActionState, "completed" | "skipped" | "failed" | "unknown">;
  message: string;
  metadata: Record<string, unknown>;
  reference: string | null;
  relation: Relation | null;
  at: number;
};

/** An attempt without effect. */
export type Deferral =
  | { kind: "retry"; retryAt: number; message: string; at: number }
  /** The network asked this account to slow down: the meter cools down. */
  | { kind: "limited"; retryAt: number | null; reason: string; at: number }
  /** A person must reconnect the account; everything waits until then. */
  | { kind: "signedOut"; reason: string; at: number };

export type Delegation = {
  to: "person" | "vendor";
  reference: string | null;
  /** When to poll for the outcome; null: it will be reported. */
  checkAt: number | null;
  message: string;
  at: number;
};

export type ActionChange =
  | { kind: "changed"; action: NetworkAction; job: Job }
  | { kind: "absent" }
  /** Its state does not allow the change. */
  | { kind: "refused"; action: NetworkAction }
  /** The same action for the same target is already scheduled. */
  | { kind: "twin"; jobId: string }
  | { kind: "objected"; objection: Objection }
  | { kind: "never"; reason: PendingReason };

export type ActionEdit = {
  message?: string | null;
  details?: ActionDetails;
  notBefore?: number;
  /** Target that results from the new details. */
  targetKey?: string;
  /** The action needs approval, even if it was approved before. */
  needsApproval?: boolean;
};
