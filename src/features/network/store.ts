import type { Job } from "../../platform/jobs/model.ts";
import type { JobClaim } from "../../platform/jobs/store.ts";
import type { Caps, CoolDown, Meter, NetworkAccount, Window } from "./account-model.ts";
import type {
  ActionDetails,
  ActionOrder,
  ActionPlace,
  ActionState,
  NetworkAction,
  Objection,
  PendingReason,
  TaskPlace,
} from "./action-model.ts";
import type { ActionType } from "./action-kinds.ts";
import type { ChangedDays } from "./governor/calendar.ts";
import type { Contact, News, Relation } from "./contact-model.ts";

export type AccountChange = { updatedAt: number } & Partial<
  Omit<NetworkAccount, "id" | "userId" | "createdAt" | "workingHours">
> & {
    /** Only the days that change, so two changes of different days both hold. */
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
  /** The same kind of action of this account for the same target is on its way already. */
  | { kind: "existing"; action: NetworkAction; job: Job }
  | { kind: "objected"; objection: Objection }
  /** Its account has no hours, or a cap of 0: there is no moment for it, ever. */
  | { kind: "never"; reason: PendingReason }
  | { kind: "accountGone" };

/** A job that is to be carried on: sent now (marked as sending), asked after at its vendor, or prepared first. */
export type DueAction = {
  task: "send" | "follow" | "prepare";
  job: Job;
  action: NetworkAction;
  account: NetworkAccount;
};

/** What becomes of an action that is over. `relation`: what the attempt showed of the person. */
export type ActionEnd = {
  state: Extract<ActionState, "completed" | "skipped" | "failed" | "unknown">;
  message: string;
  metadata: Record<string, unknown>;
  reference: string | null;
  relation: Relation | null;
  at: number;
};

/** What becomes of an action that had no effect yet. */
export type PutOff =
  | { kind: "retry"; retryAt: number; message: string; at: number }
  /** The network asked this account for less: the meter rests. */
  | { kind: "limited"; retryAt: number | null; reason: string; at: number }
  /** The account needs a person: it holds everything until then. */
  | { kind: "signedOut"; reason: string; at: number };

export type Handed = {
  to: "person" | "vendor";
  reference: string | null;
  /** When to ask after it; null: it will be reported. */
  checkAt: number | null;
  message: string;
  at: number;
};

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

export type ActionChange =
  | { kind: "changed"; action: NetworkAction; job: Job }
  | { kind: "absent" }
  /** It is in a state in which that can't be done. */
  | { kind: "refused"; action: NetworkAction }
  /** The same action for the same target is on its way already. */
  | { kind: "twin"; jobId: string }
  | { kind: "objected"; objection: Objection }
  | { kind: "never"; reason: PendingReason };

export type ActionEdit = {
  message?: string | null;
  details?: ActionDetails;
  notBefore?: number;
  /** Of the details. */
  targetKey?: string;
  /** It waits for approval from now on, whether it was approved before or not. */
  needsApproval?: boolean;
};

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
   * others that are due. `wantsPlan`: some queue is to be planned again.
   */
  claimDue(request: {
    now: number;
    limit: number;
    leaseUntil: number;
  }): Promise<{ due: DueAction[]; more: boolean; wantsPlan: boolean }>;
  /** Marks a prepared action as sending, if nothing holds it back now; false: it was put off or ended, or a void claim. */
  markSending(claim: JobClaim, at: number): Promise<boolean>;
  /** Ends action and job. False: void claim, nothing was written. */
  endAction(claim: JobClaim, end: ActionEnd): Promise<boolean>;
  /** Sets an action that had no effect back into the queue. False: void claim. */
  putOff(claim: JobClaim, putOff: PutOff): Promise<boolean>;
  /** Parks an action that was passed on. False: void claim. */
  hand(claim: JobClaim, handed: Handed): Promise<boolean>;
  /** As `endAction`, by somebody who was handed the action and reports on it. */
  endHanded(userId: string, jobId: string, waitsFor: readonly PendingReason[], end: ActionEnd): Promise<ActionChange>;
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
