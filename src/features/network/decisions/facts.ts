import type { Job } from "../../../platform/jobs/model.ts";
import type { SuppressionMatch, SuppressionTarget } from "../../suppression/model.ts";
import type { NetworkAccount } from "../account-model.ts";
import type { Meter } from "../meter-model.ts";
import type { ActionState, NetworkAction } from "../action-model.ts";
import type { Contact } from "../contact-model.ts";
import type { Governed, Timeline } from "../governor/slot.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** An action as stored. `account`: number of its account. `used` 1: it counts as performed. */
export type StoredAction = Omit<NetworkAction, "accountId"> & {
  seq: number;
  account: number;
  hasNote: boolean;
  used: number;
  /** Found when the store searches for an open action with the same target. */
  mayBeOpen: boolean;
};

/** An account as stored. */
export type StoredAccount = {
  seq: number;
  account: NetworkAccount;
  governed: Governed;
  /** Whether its queue must be rescheduled. Until then, changes to the queue are counted. */
  needsPlan: boolean;
};

/** A person the account has contacted. Lead and campaign are those of the latest message or request. */
export type StoredContact = Omit<Contact, "accountId"> & {
  account: number;
  leadId: string | null;
  campaignId: string | null;
};

/** An action with its job and its account: the subject of most decisions. */
export type Target = { row: StoredAction; job: Job; record: StoredAccount };

/** A text between an account and a person, and the times between which it may have been sent. */
export type SentText = { account: number; profileKey: string; text: string | null; from: number; to: number };

export type Twin = { seq: number; jobId: string; state: ActionState };
/** Where the search for a slot continues, and the earliest slot that was freed before it. */
export type Frontier = { frontierAt: number | null; freeAt: number | null };

/**
 * The facts that decisions can request from the store: synchronous and read-only. An engine provides them with queries, or
 * from data loaded in advance; both must return the same.
 */
export type NetworkFacts = {
  account(seq: number): StoredAccount | null;
  /** Null unless the account belongs to the user. */
  accountOf(workspaceId: WorkspaceId, accountId: string): StoredAccount | null;
  /** The other accounts of the workspace. */
  colleagues(workspaceId: WorkspaceId, account: number): readonly Pick<StoredAccount, "seq" | "account">[];
  target(jobId: string): Target | null;
  /** Actions of this type with this target that may be open. */
  twins(account: number, action: Pick<StoredAction, "targetKey" | "actionType">): Twin[];
  contact(account: number, profileKey: string): StoredContact | null;
  hasLead(id: string): boolean;
  /** Whether the message with this ID is stored. */
  hasMessage(id: string): boolean;
  /**
   * Whether an action sent this text to the person, at such a time, or is going to; null: a voice message. The network can
   * show the note of a request long after it was sent, when the person accepts it.
   */
  hasSent(message: SentText): boolean;
  /** Whether the person wrote this text at such a time; null: a message without text. */
  hasReceived(message: SentText): boolean;
  /** The entry of the do-not-contact list that blocks this person; null if none does. */
  suppression(workspaceId: WorkspaceId, target: SuppressionTarget): SuppressionMatch | null;
  frontier(account: number, meter: Meter): Frontier;
  /** Performed and planned actions. */
  timeline(account: number): Timeline;
  /** Performed actions and actions being sent. */
  usedTimeline(account: number): Timeline;
  isOriginRunning(campaignId: string): boolean;
};

/** The action in the form the API uses. */
export function actionOf(row: StoredAction, accountId: string): NetworkAction {
  return {
    jobId: row.jobId,
    workspaceId: row.workspaceId,
    accountId,
    actionType: row.actionType,
    profileUrl: row.profileUrl,
    profileKey: row.profileKey,
    targetKey: row.targetKey,
    message: row.message,
    details: row.details,
    leadId: row.leadId,
    enrollmentId: row.enrollmentId,
    campaignId: row.campaignId,
    campaignStep: row.campaignStep,
    state: row.state,
    pendingReason: row.pendingReason,
    slotAt: row.slotAt,
    carriedOutAt: row.carriedOutAt,
    notBefore: row.notBefore,
    draw: row.draw,
    isUrgent: row.isUrgent,
    reference: row.reference,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
