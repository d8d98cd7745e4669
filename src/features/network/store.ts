import type { Job, JobClaim } from "../../platform/jobs/model.ts";
import type { Caps, CoolDown, Meter, NetworkAccount, Window } from "./account-model.ts";
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
import type { Contact, News, Relation } from "./contact-model.ts";

export type ActionFilter = {
  states?: readonly ActionState[];
  accountId?: string;
  actionType?: ActionType;
  leadId?: string;
  profileKey?: string;
  campaignId?: string;
};
export type ActionPage = {
  userId: string;
  filter: ActionFilter;
  limit: number;
  order: ActionOrder;
  /** The last action of the page before; null: from the beginning. */
  after: ActionPlace | null;
};
/** An action with its number, which grows with the order of scheduling. */
export type ListedAction = { seq: number; action: NetworkAction };

export type MeterUsage = {
  meter: Meter;
  window: Window;
  used: number;
  /** Planned within the coming window. */
  planned: number;
  /** When the oldest of those used leaves the window; null when there is none. */
  resetsAt: number | null;
};

/** An action that waits for its turn, as a plan needs it; `seq` orders and names it. */
export type QueuedAction = {
  seq: number;
  jobId: string;
  actionType: ActionType;
  profileUrl: string;
  hasNote: boolean;
  notBefore: number;
  draw: number;
  slotAt: number;
  pendingReason: PendingReason | null;
};
/** What a plan is worked out from. `history`: what was carried out, by meter, as far back as windows go. */
export type PlanBasis = {
  account: NetworkAccount;
  coolDowns: CoolDown[];
  history: Partial<Record<Meter, number[]>>;
  queue: QueuedAction[];
  queueVersion: number;
  /** The moments of the queue are not yet by what it is planned by. */
  needsPlan: boolean;
};
/** `slotAt` from `neverAt` on: it has none as things are. */
export type PlannedSlot = { seq: number; slotAt: number; reason: PendingReason };

export type NetworkStore = {
  insertAccount(account: NetworkAccount): Promise<void>;
  /** Oldest first. */
  accounts(userId: string): Promise<NetworkAccount[]>;
  account(userId: string, id: string): Promise<NetworkAccount | null>;
  /**
   * Writes the fields that are given and answers the account as it is then; null when the user has none of that id.
   * When something changes that slots depend on, the queue is marked to be planned again.
   */
  updateAccount(userId: string, id: string, change: AccountChange): Promise<NetworkAccount | null>;
  /** Removes an account that never acted and has nothing to do; "inUse" otherwise. */
  removeAccount(userId: string, id: string): Promise<"removed" | "absent" | "inUse">;
  /** Accounts of all users that may act now. */
  activeAccounts(): Promise<NetworkAccount[]>;
  coolDowns(userId: string, accountId: string): Promise<CoolDown[]>;

  /**
   * Checks the person, chooses the earliest fair moment of the account and inserts action and job, as one operation:
   * two requests can never take the same slot. With `dryRun` it answers the same and stores nothing.
   */
  schedule(request: ScheduleAction, dryRun: boolean): Promise<ScheduleOutcome>;
  /** Stores an action that was carried out elsewhere, so that it counts; with its ended job. */
  record(request: ScheduleAction, relation: Relation | null): Promise<ScheduleOutcome>;
  /** Gives an action that waits for approval its slot. */
  approve(userId: string, jobId: string, at: number): Promise<ActionChange>;
  /** Changes what an action that has not begun says, or its earliest moment. */
  edit(userId: string, jobId: string, edit: ActionEdit, at: number): Promise<ActionChange>;
  /** Ends an action that is not under way. */
  cancel(userId: string, jobId: string, at: number): Promise<ActionChange>;
  /** A person's word on an action whose outcome is unknown: `completed` or `failed`, after which it may be scheduled anew. */
  resolve(userId: string, jobId: string, end: ActionEnd): Promise<ActionChange>;
  action(userId: string, jobId: string): Promise<{ action: NetworkAction; job: Job } | null>;
  /** Newest first. */
  page(request: ActionPage): Promise<ListedAction[]>;
  /** On all pages together, counted up to 10,000. */
  countActions(request: Omit<ActionPage, "limit" | "after">): Promise<number>;
  /** Ends, as skipped, the user's tasks for people who are on the do-not-contact list by now. */
  skipObjectedTasks(userId: string, now: number): Promise<void>;
  /** Actions that wait for a person, longest waiting first, at most `limit`. */
  tasks(userId: string, limit: number, offset: number, after?: TaskPlace | null): Promise<NetworkAction[]>;
  countTasks(userId: string): Promise<number>;

  /**
   * Takes due actions, at most `limit`, in one durable operation, and decides on each by what is true now: one that may
   * go is marked as sending (its job gets the lease), one that must wait gets a later moment, one that must not be sent
   * any more ends. An action that was being sent when its lease ended has an unknown outcome. `more`: there may be
   * others that are due. `needsPlan`: some queue is to be planned again.
   */
  claimDue(request: {
    now: number;
    limit: number;
    leaseUntil: number;
  }): Promise<{ due: DueAction[]; more: boolean; needsPlan: boolean }>;
  /** Marks a prepared action as sending, if nothing holds it back now; false: it was put off or ended, or a void claim. */
  markSending(claim: JobClaim, at: number): Promise<boolean>;
  /** Ends action and job. False: void claim, nothing was written. */
  endAction(claim: JobClaim, end: ActionEnd): Promise<boolean>;
  /** Sets an action that had no effect back into the queue. False: void claim. */
  defer(claim: JobClaim, deferral: Deferral): Promise<boolean>;
  /** Parks an action that was passed on. False: void claim. */
  delegate(claim: JobClaim, delegation: Delegation): Promise<boolean>;
  /** As `endAction`, by whoever the action was delegated to. */
  endDelegated(
    userId: string,
    jobId: string,
    waitsFor: readonly PendingReason[],
    end: ActionEnd,
  ): Promise<ActionChange>;
  /** Claims an action that waits for a worker, if the governor lets it go now: as `claimDue` for the own runner. */
  claimForWorker(request: {
    userId: string;
    accountId: string | null;
    now: number;
    leaseUntil: number;
  }): Promise<{ claimed: DueAction } | { claimed: null; retryAt: number | null }>;
  /** Prolongs a worker's lease; false: void claim. */
  renewLease(userId: string, claim: JobClaim, leaseUntil: number): Promise<boolean>;

  usage(userId: string, accountId: string, now: number): Promise<MeterUsage[]>;
  /** Null when there is no such account. At most `limit` queued actions, soonest first. */
  planBasis(accountId: string, limit: number, now: number, caps?: Caps): Promise<PlanBasis | null>;
  /** Accounts whose queue is to be planned again. */
  accountsToPlan(): Promise<string[]>;
  /** Marks the queues of all accounts to be planned again. */
  planAll(): Promise<void>;
  /** Gives new moments to actions that still wait. */
  movePlanned(accountId: string, slots: readonly PlannedSlot[], at: number): Promise<void>;
  /** The queue is planned, unless it changed since `queueVersion`: then false. */
  endPlan(accountId: string, queueVersion: number, frontiers: Partial<Record<Meter, number>>): Promise<boolean>;

  contact(userId: string, accountId: string, profileKey: string): Promise<Contact | null>;
  /** Up to `limit` with a pending request, longest waiting first, and as many with an unanswered message, latest first. */
  watched(accountId: string, limit: number): Promise<Contact[]>;
  /** People whose request has been pending since before `at`, longest first, at most `limit`. */
  pendingSince(accountId: string, at: number, limit: number): Promise<Contact[]>;
  /** Notes what is new with people that the account was in touch with; answers what was not known yet. */
  noteNews(accountId: string, news: readonly News[], at: number): Promise<News[]>;
};
