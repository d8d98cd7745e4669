import type { Job, JobClaim } from "../../platform/jobs/model.ts";
import type { Caps, CoolDown, NetworkAccount, Window } from "./account-model.ts";
import type { Meter } from "./meter-model.ts";
import type { ActionOrder, ActionPlace, ActionState, NetworkAction, PendingReason, TaskPlace } from "./action-model.ts";
import type {
  AccountChange,
  ScheduleAction,
  ScheduleOutcome,
  DueAction,
  ActionEnd,
  Deferral,
  Delegation,
  ActionChange,
  ActionEdit,
} from "./queue-model.ts";
import type { ActionType } from "./action-kinds.ts";
import type { Contact, News, NotedNews, Relation } from "./contact-model.ts";
import type { Awaited } from "./watch-batch.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export type ActionFilter = {
  states?: readonly ActionState[];
  accountId?: string;
  actionType?: ActionType;
  leadId?: string;
  profileKey?: string;
  campaignId?: string;
};
export type ActionPage = {
  workspaceId: WorkspaceId;
  filter: ActionFilter;
  limit: number;
  order: ActionOrder;
  /** The last action of the previous page; null: start with the first page. */
  after: ActionPlace | null;
};
/** An action with its sequence number, ascending in order of creation. */
export type ListedAction = { seq: number; action: NetworkAction };

export type MeterUsage = {
  meter: Meter;
  window: Window;
  used: number;
  /** Planned within the next window. */
  planned: number;
  /** When the oldest used action leaves the window; null if there is none. */
  resetsAt: number | null;
};

/** A queued action with the fields that planning needs. */
export type QueuedAction = {
  seq: number;
  jobId: string;
  actionType: ActionType;
  profileUrl: string;
  hasNote: boolean;
  isUrgent: boolean;
  notBefore: number;
  draw: number;
  slotAt: number;
  pendingReason: PendingReason | null;
};
/** Input of a plan. `history`: times of performed actions by meter, as far back as the longest window. */
export type PlanBasis = {
  account: NetworkAccount;
  coolDowns: CoolDown[];
  history: Partial<Record<Meter, number[]>>;
  queue: QueuedAction[];
  queueVersion: number;
  /** The scheduled times do not reflect the current settings yet. */
  needsPlan: boolean;
};
/** `slotAt` at or after `neverAt`: no time is currently available. */
export type PlannedSlot = { seq: number; slotAt: number; reason: PendingReason };

export type NetworkStore = {
  insertAccount(account: NetworkAccount): Promise<void>;
  /** Oldest first. */
  accounts(workspaceId: WorkspaceId): Promise<NetworkAccount[]>;
  account(workspaceId: WorkspaceId, id: string): Promise<NetworkAccount | null>;
  /**
   * Updates the given fields and returns the account; null if the user has no account with this ID. Marks the queue to be
   * rescheduled if slots depend on a changed field.
   */
  updateAccount(workspaceId: WorkspaceId, id: string, change: AccountChange): Promise<NetworkAccount | null>;
  /** Removes an account without any actions; "inUse" if it has some. */
  removeAccount(workspaceId: WorkspaceId, id: string): Promise<"removed" | "absent" | "inUse">;
  /** Accounts of all users in the state `active`. */
  activeAccounts(): Promise<NetworkAccount[]>;
  coolDowns(workspaceId: WorkspaceId, accountId: string): Promise<CoolDown[]>;

  /**
   * Checks for objections, chooses the earliest available time of the account, and inserts action and job in one
   * operation, so that two requests can never take the same slot. With `dryRun`, returns the same and stores nothing.
   */
  schedule(request: ScheduleAction, dryRun: boolean): Promise<ScheduleOutcome>;
  /** Stores an action that was performed elsewhere, with its ended job, so that it counts toward the caps. */
  record(request: ScheduleAction, relation: Relation | null): Promise<ScheduleOutcome>;
  /** Schedules an action that was waiting for approval. */
  approve(workspaceId: WorkspaceId, jobId: string, at: number, actorId?: UserId | null): Promise<ActionChange>;
  /** Changes the content or the earliest time of an action that has not started. */
  edit(
    workspaceId: WorkspaceId,
    jobId: string,
    edit: ActionEdit,
    at: number,
    actorId?: UserId | null,
  ): Promise<ActionChange>;
  /** Ends an action that is not being sent. */
  cancel(workspaceId: WorkspaceId, jobId: string, at: number, actorId?: UserId | null): Promise<ActionChange>;
  /** Stores the outcome of an action whose outcome was unknown: `completed`, or `failed`, after which it can be retried. */
  resolve(workspaceId: WorkspaceId, jobId: string, end: ActionEnd): Promise<ActionChange>;
  action(workspaceId: WorkspaceId, jobId: string): Promise<{ action: NetworkAction; job: Job } | null>;
  /** Newest first. */
  page(request: ActionPage): Promise<ListedAction[]>;
  /** Total of all pages, counted up to 10,000. */
  countActions(request: Omit<ActionPage, "limit" | "after">): Promise<number>;
  /** Skips the user's tasks for people who have been added to the do-not-contact list. */
  skipObjectedTasks(workspaceId: WorkspaceId, now: number): Promise<void>;
  /** Actions waiting for a person, longest waiting first, at most `limit`. */
  tasks(workspaceId: WorkspaceId, limit: number, offset: number, after?: TaskPlace | null): Promise<NetworkAction[]>;
  countTasks(workspaceId: WorkspaceId): Promise<number>;

  /**
   * Claims up to `limit` due actions in one durable operation, based on the current state: an action that can be sent is
   * marked as sending (its job gets the lease), one that must wait is rescheduled, and one that must no longer be sent
   * ends. An action that was being sent when its lease expired has an unknown outcome. `more`: other actions may be due.
   * `needsPlan`: a queue must be rescheduled.
   */
  claimDue(request: {
    now: number;
    limit: number;
    leaseUntil: number;
  }): Promise<{ due: DueAction[]; more: boolean; needsPlan: boolean }>;
  /** Marks a prepared action as sending if nothing delays it. False: it was deferred or ended, or the claim is void. */
  markSending(claim: JobClaim, at: number): Promise<boolean>;
  /** Ends action and job. False: the claim is void and nothing was written. */
  endAction(claim: JobClaim, end: ActionEnd): Promise<boolean>;
  /** Returns an action that had no effect to the queue. False: void claim. */
  defer(claim: JobClaim, deferral: Deferral): Promise<boolean>;
  /** Parks an action that was delegated. False: void claim. */
  delegate(claim: JobClaim, delegation: Delegation): Promise<boolean>;
  /** Like `endAction`, for an outcome reported by the person or vendor the action was delegated to. */
  endDelegated(
    workspaceId: WorkspaceId,
    jobId: string,
    waitsFor: readonly PendingReason[],
    end: ActionEnd,
  ): Promise<ActionChange>;
  /** Like `claimDue`, for an action that a worker performs: claims one if the governor allows it now. */
  claimForWorker(request: {
    workspaceId: WorkspaceId;
    accountId: string | null;
    now: number;
    leaseUntil: number;
  }): Promise<{ claimed: DueAction } | { claimed: null; retryAt: number | null }>;
  /** Extends a worker's lease. False: void claim. */
  renewLease(workspaceId: WorkspaceId, claim: JobClaim, leaseUntil: number): Promise<boolean>;

  usage(workspaceId: WorkspaceId, accountId: string, now: number): Promise<MeterUsage[]>;
  /** Null if the account does not exist. At most `limit` queued actions, earliest first. */
  planBasis(accountId: string, limit: number, now: number, caps?: Caps): Promise<PlanBasis | null>;
  /** Accounts whose queue must be rescheduled. */
  accountsToPlan(): Promise<string[]>;
  /** Marks the queues of all accounts to be rescheduled. */
  planAll(): Promise<void>;
  /** Sets new times for actions that are still waiting. */
  movePlanned(accountId: string, slots: readonly PlannedSlot[], at: number): Promise<void>;
  /** Marks the queue as planned. False if it has changed since `queueVersion`. */
  endPlan(accountId: string, queueVersion: number, frontiers: Partial<Record<Meter, number>>): Promise<boolean>;

  contact(workspaceId: WorkspaceId, accountId: string, profileKey: string): Promise<Contact | null>;
  /**
   * Up to `limit` people the account waits for: those of the latest request, message, or reply first, or if `after` is set,
   * those with a greater profile key, in the order of the keys.
   */
  watched(accountId: string, awaited: Awaited, page: { limit: number; after?: string }): Promise<Contact[]>;
  /** People with a request that has been pending since before `at`, oldest first, at most `limit`. */
  pendingSince(accountId: string, at: number, limit: number): Promise<Contact[]>;
  /** Up to when the messages of the account have been read; null: never. */
  messagesReadTo(accountId: string): Promise<number | null>;
  /**
   * Stores news about people, and in the same transaction, up to when messages have been read. Returns what was not known
   * yet.
   */
  noteNews(accountId: string, news: readonly News[], at: number, readTo?: number): Promise<NotedNews>;
};
