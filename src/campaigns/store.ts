import type { Lead } from "../leads/model.ts";
import type { Contact } from "../network/contact-model.ts";
import type { ActionState, NetworkAction } from "../network/action-model.ts";
import type { ScheduleAction, ScheduleOutcome } from "../network/store.ts";
import type { TimePlace } from "../time-place.ts";
import type { Campaign, CampaignState, Enrolment, EnrolmentState } from "./model.ts";

export type CampaignChange = { updatedAt: number } & Partial<
  Pick<Campaign, "name" | "state" | "steps" | "accountIds" | "settings" | "startedAt">
>;

export type EnrolRefusal =
  | "alreadyEnrolled"
  | "inOtherCampaign"
  | "contactedRecently"
  | "doNotContact"
  | "leadGone"
  | "campaignEnded";

export type EnrolmentChange = { updatedAt: number } & Partial<
  Pick<Enrolment, "state" | "reason" | "atStep" | "sinceAt" | "wakeAt" | "jobId">
>;

/** An enrolment that is to be looked at, with all that decides on its next move. */
export type DueEnrolment = {
  enrolment: Enrolment;
  campaign: Campaign;
  /** Null: it was deleted. */
  lead: Lead | null;
  contact: Contact | null;
  /** The action of its step; null when there is none yet. */
  action: Pick<NetworkAction, "jobId" | "state"> | null;
};

export type EnrolmentFilter = { state?: EnrolmentState };

export type CampaignCounts = {
  /** By state and reason. */
  enrolments: { state: EnrolmentState; reason: string | null; n: number }[];
  connected: number;
  replied: number;
  /** Actions by step and state. */
  actions: { step: number; state: ActionState; n: number }[];
};

export type CampaignStore = {
  insert(campaign: Campaign): Promise<void>;
  get(userId: string, id: string): Promise<Campaign | null>;
  /** Newest first, at most `limit`, behind `after`. */
  list(userId: string, limit: number, after?: TimePlace | null): Promise<Campaign[]>;
  countCampaigns(userId: string): Promise<number>;
  /** Writes the fields that are given, if the campaign is in one of the states; null when it is not, or absent. */
  update(
    userId: string,
    id: string,
    states: readonly CampaignState[],
    change: CampaignChange,
  ): Promise<Campaign | null>;
  /** Removes a draft and its enrolments; false when it is none. */
  remove(userId: string, id: string): Promise<boolean>;

  /**
   * Enrols leads, each unless something speaks against it; answers what, in the order of the request. With `dryRun`
   * nothing is stored.
   */
  enrol(enrolments: readonly Enrolment[], dryRun: boolean, now: number): Promise<(EnrolRefusal | null)[]>;
  /** Of running campaigns, those whose time has come, at most `limit`. */
  due(now: number, limit: number): Promise<DueEnrolment[]>;
  nextDueAt(): Promise<number | null>;
  /**
   * Writes the next move of an enrolment, with the action that it wants, as one operation: neither is there without the
   * other. Null: it was moved or ended meanwhile, or its campaign does not run. An outcome that is not "scheduled" or
   * "existing" changes nothing.
   */
  move(
    enrolment: Pick<Enrolment, "id" | "version">,
    change: EnrolmentChange,
    action: ScheduleAction | null,
  ): Promise<ScheduleOutcome | { kind: "moved" } | null>;
  /** Takes waiting actions of a campaign back out of the queue, at most `limit`; answers how many. */
  withdrawActions(campaignId: string, limit: number, at: number): Promise<number>;
  /** Ends active enrolments, at most `limit`; answers how many. */
  stopAll(campaignId: string, reason: string, limit: number, at: number): Promise<number>;
  /** Ends one; null when it is not active, or absent. */
  stop(userId: string, enrolmentId: string, reason: string, at: number): Promise<Enrolment | null>;

  /** By id, behind `after`, at most `limit`. */
  enrolments(
    userId: string,
    campaignId: string,
    filter: EnrolmentFilter,
    after: string | null,
    limit: number,
  ): Promise<Enrolment[]>;
  counts(campaignId: string): Promise<CampaignCounts>;
};
