import { Type, type Static } from "@sinclair/typebox";
import { actionTypes, maxSubjectLength, type ActionType } from "./action-kinds.ts";

export const actionStates = [
  "awaitingApproval",
  "scheduled",
  "sending",
  "awaiting",
  "done",
  "skipped",
  "failed",
  "unknown",
  "cancelled",
] as const;
/**
 * awaitingApproval -> scheduled -> sending (marked before the connector is called) -> done | skipped | failed | unknown
 * | awaiting; awaiting (handed to a person, a worker or a vendor) -> done | skipped | failed | unknown. unknown = it may
 * or may not have had its effect, so it is never repeated by itself.
 */
export type ActionState = (typeof actionStates)[number];
/** On its way: a second one of the same kind for the same target is not added. */
export const openStates: readonly ActionState[] = ["awaitingApproval", "scheduled", "sending", "awaiting"];

export const pendingReasons = [
  "queued",
  "spacing",
  "break",
  "outsideWorkingHours",
  "dailyLimit",
  "weeklyLimit",
  "monthlyLimit",
  "monthlyNoteLimit",
  "warmup",
  "cooldown",
  "retry",
  "notBefore",
  "accountPaused",
  "accountNeedsReconnect",
  "awaitingApproval",
  "awaitingPerson",
  "awaitingWorker",
  "awaitingVendor",
] as const;
export type PendingReason = (typeof pendingReasons)[number];

/** Why the network (or its vendor) will not carry an action out, now or later. */
export const refusals = [
  "alreadyConnected",
  "alreadyPending",
  "notPending",
  "cannotResendYet",
  "personNotFound",
  "postNotFound",
  "skillNotFound",
  "messagingNotAllowed",
  "requestNotAllowed",
  "commentingNotAllowed",
  "ownProfile",
  "emailRequired",
  "noteTooLong",
  "noteLimitReached",
  "noInMailCredits",
  "notSupported",
  "invalid",
] as const;
export type Refusal = (typeof refusals)[number];

export const reactions = ["like", "celebrate", "support", "love", "insightful", "funny"] as const;

/** What some kinds of action need besides profile and text. */
export type ActionDetails = {
  /** Of an InMail. */
  subject?: string;
  /** The post to react to or to comment on; without it, the person's latest. */
  postUrl?: string;
  reaction?: (typeof reactions)[number];
  /** To endorse; without it, the first that is listed. */
  skill?: string;
  /** Of a voice message. */
  voiceId?: string;
};

export type NetworkAction = {
  jobId: string;
  userId: string;
  accountId: string;
  actionType: ActionType;
  profileUrl: string;
  /** `canonicalProfileUrl` of it. */
  profileKey: string;
  /** Profile, and post or skill where the kind has one: two open actions of a kind never share it. */
  targetKey: string;
  message: string | null;
  details: ActionDetails;
  leadId: string | null;
  /** The place in a campaign that this action is for. */
  enrolmentId: string | null;
  state: ActionState;
  /** Why it waits; null when it does not wait any more. */
  pendingReason: PendingReason | null;
  /** The planned moment, or when it was carried out; null while it has no slot. */
  slotAt: number | null;
  /** The earliest moment that somebody asked for. */
  notBefore: number;
  /** From 0 to 1, drawn once: how long a distance it keeps from the action before. */
  draw: number;
  /** What the connector calls it. */
  reference: string | null;
  createdAt: number;
  updatedAt: number;
};
