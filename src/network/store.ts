import type { Job, JobMetadata } from "../jobs/model.ts";
import type { JobClaim } from "../jobs/store.ts";
import type { ActionState, NetworkAccount, NetworkAction, TaskOutcome } from "./model.ts";

export type ScheduleAction = {
  action: NetworkAction;
  /** The job to insert; `runAt` is the earliest moment asked for, and the store sets the moment that it found. */
  job: Job;
  /** Drawn at random by the caller: how far behind the account's last action this one stays. */
  gapMs: number;
};
export type AccountChange = { updatedAt: number } & Partial<
  Pick<NetworkAccount, "name" | "connector" | "timeZone" | "workingHours" | "minGapSeconds" | "maxGapSeconds">
>;
export type ScheduleOutcome =
  | { kind: "scheduled"; job: Job }
  /** The same account, profile and kind of action is on its way already. */
  | { kind: "existing"; job: Job }
  | { kind: "neverOpen" };

export type MarkOutcome = { kind: "marked" } | { kind: "tooSoon"; freeAt: number } | { kind: "void" };

export type TaskEnd = {
  userId: string;
  jobId: string;
  outcome: TaskOutcome;
  message: string;
  metadata: JobMetadata;
  at: number;
};
export type ActionEnd = { state: ActionState; message: string; metadata: JobMetadata; at: number };

export type NetworkStore = {
  insertAccount(account: NetworkAccount): Promise<void>;
  /** Oldest first. */
  accounts(userId: string): Promise<NetworkAccount[]>;
  account(userId: string, id: string): Promise<NetworkAccount | null>;
  /** Writes the fields that are given and answers the account as it is then; null when the user has none of that id. */
  updateAccount(userId: string, id: string, change: AccountChange): Promise<NetworkAccount | null>;
  /**
   * Chooses the earliest fair moment for the account and inserts action and job, as one operation: two requests can
   * never take the same slot. The job's `runAt` and its metadata (delay, scheduledFor, pendingReason, nextEligibleAt)
   * tell of the choice.
   */
  schedule(request: ScheduleAction): Promise<ScheduleOutcome>;
  /** The action of a job. */
  action(jobId: string): Promise<NetworkAction | null>;
  /**
   * The durable mark before the connector is called, made only if the account's last action is far enough behind.
   * "void": the claim is void or the action is not in state `scheduled`. Unless "marked", the call must not be made.
   */
  markSending(claim: JobClaim, at: number): Promise<MarkOutcome>;
  /** Sets the action back to `scheduled` and its job to pending, due at `runAt`. False: void claim. */
  postpone(
    claim: JobClaim,
    change: { runAt: number; message: string; metadata: JobMetadata; at: number },
  ): Promise<boolean>;
  /** Ends action and job together: awaiting parks the job, done completes it, the rest fails it. False: void claim. */
  endAction(claim: JobClaim, end: ActionEnd): Promise<boolean>;
  /** Actions that wait for a person, longest waiting first, at most `limit`. */
  awaiting(userId: string, limit: number, offset: number): Promise<NetworkAction[]>;
  countAwaiting(userId: string): Promise<number>;
  /** Ends a task that waits for a person. "refused": it is not waiting (any more). */
  endTask(
    end: TaskEnd,
  ): Promise<{ kind: "ended"; job: Job } | { kind: "absent" } | { kind: "refused"; state: ActionState }>;
};
