import type { Lead } from "../leads/model.ts";
import type { Contact } from "../network/contact-model.ts";
import type { ActionState, NetworkAction } from "../network/action-model.ts";
import type { ScheduleAction, ScheduleOutcome } from "../network/queue-model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { Campaign, CampaignState, Enrollment, EnrollmentState } from "./model.ts";

export type CampaignChange = { updatedAt: number } & Partial<
  Pick<Campaign, "name" | "state" | "steps" | "accountIds" | "settings" | "startedAt">
>;

export type EnrollRefusal =
  | "alreadyEnrolled"
  | "inOtherCampaign"
  | "contactedRecently"
  | "doNotContact"
  | "leadGone"
  | "campaignEnded";

export type EnrollmentChange = { updatedAt: number } & Partial<
  Pick<Enrollment, "state" | "reason" | "atStep" | "sinceAt" | "wakeAt" | "jobId">
>;

/** An enrollment that is to be looked at, with all that decides on its next move. */
export type DueEnrollment = {
  enrollment: Enrollment;
  campaign: Campaign;
  /** Null: it was deleted. */
  lead: Lead | null;
  contact: Contact | null;
  /** The action of its step; null when there is none yet. */
  action: Pick<NetworkAction, "jobId" | "state"> | null;
};

export type EnrollmentFilter = { state?: EnrollmentState };

export type CampaignCounts = {
  /** By state and reason. */
  enrollments: { state: EnrollmentState; reason: string | null; n: number }[];
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
  /** Removes a draft and its enrollments; false when it is none. */
  remove(userId: string, id: string): Promise<boolean>;

  /**
   * Enrolls leads, each unless something speaks against it; answers what, in the order of the request. With `dryRun`
   * nothing is stored.
   */
  enroll(enrollments: readonly Enrollment[], dryRun: boolean, now: number): Promise<(EnrollRefusal | null)[]>;
  /** Of running campaigns, those whose time has come, at most `limit`. */
  due(now: number, limit: number): Promise<DueEnrollment[]>;
  nextDueAt(): Promise<number | null>;
  /**
   * Writes the next move of an enrollment, with the action that it wants, as one operation: neither is there without the
   * other. Null: it was moved or ended meanwhile, or its campaign does not run. An outcome that is not "scheduled" or
   * "existing" changes nothing.
   */
  move(
    enrollment: Pick<Enrollment, "id" | "version">,
    change: EnrollmentChange,
    action: ScheduleAction | null,
  ): Promise<ScheduleOutcome | { kind: "moved" } | null>;
  /** Takes waiting actions of a campaign back out of the queue, at most `limit`; answers how many. */
  withdrawActions(campaignId: string, limit: number, at: number): Promise<number>;
  /** Ends active enrollments, at most `limit`; answers how many. */
  stopAll(campaignId: string, reason: string, limit: number, at: number): Promise<number>;
  /** Ends one; null when it is not active, or absent. */
  stop(userId: string, enrollmentId: string, reason: string, at: number): Promise<Enrollment | null>;

  /** By id, behind `after`, at most `limit`. */
  enrollments(
    userId: string,
    campaignId: string,
    filter: EnrollmentFilter,
    after: string | null,
    limit: number,
  ): Promise<Enrollment[]>;
  counts(campaignId: string): Promise<CampaignCounts>;
};
