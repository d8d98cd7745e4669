import type { Lead } from "../leads/model.ts";
import type { Contact } from "../network/contact-model.ts";
import type { ActionState, NetworkAction } from "../network/action-model.ts";
import type { ScheduleAction } from "../network/queue-model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { CampaignChange, EnrollmentChange, EnrollRefusal, MoveOutcome } from "./change-model.ts";
import type { Campaign, CampaignState, Enrollment, EnrollmentState } from "./model.ts";
import type { Mark, Stage } from "./funnel-marks.ts";
import type { Winner } from "./decisions.ts";
import type { InterestSubject } from "./interest.ts";
import type { StepsVersion } from "./steps-version.ts";
import type { Outcome } from "./variant-results.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

/** A due enrollment, with everything that determines its next move. */
export type DueEnrollment = {
  enrollment: Enrollment;
  campaign: Campaign;
  /** The version of the steps with the step of the enrollment, if the campaign has other steps now. */
  earlier: StepsVersion | null;
  /** Null if the lead was deleted. */
  lead: Lead | null;
  contact: Contact | null;
  /** The action of the current step; null if it is not scheduled yet. */
  action: Pick<NetworkAction, "jobId" | "state"> | null;
};

/** `outcome`: only leads who have connected, replied, or shown interest. */
export type EnrollmentFilter = { state?: EnrollmentState; outcome?: Outcome };

export type CampaignCounts = {
  /** By state and reason. */
  enrollments: { state: EnrollmentState; reason: string | null; n: number }[];
  connected: number;
  replied: number;
  /** Actions by step and state. */
  actions: { step: number; state: ActionState; n: number }[];
};

/** Days since 1970, inclusive. Places of enrollments have no day, and are the current ones. */
export type FunnelFilter = { fromDay: number | null; toDay: number | null; accountId: string | null };
export type FunnelCount = Omit<Mark, "day"> & { campaignId: string; accountId: string; enrollments: number };
/** `variant` and `accountId` are "" unless they are asked for. */
export type FunnelDayCount = FunnelCount & { day: number };
export type FunnelDay = { day: number; stage: Stage; enrollments: number };

export type CampaignStore = {
  insert(campaign: Campaign): Promise<void>;
  get(workspaceId: WorkspaceId, id: string): Promise<Campaign | null>;
  /** Newest first, at most `limit`, starting after `after`. */
  list(workspaceId: WorkspaceId, limit: number, after?: TimePlace | null): Promise<Campaign[]>;
  countCampaigns(workspaceId: WorkspaceId): Promise<number>;
  /**
   * Updates the given fields if the campaign is in one of the states, and still has this version if one is given; null
   * if not, or if it does not exist. Steps that leads may have begun are retained for them.
   */
  update(
    workspaceId: WorkspaceId,
    id: string,
    states: readonly CampaignState[],
    change: CampaignChange,
    actorId?: UserId | null,
    version?: number | null,
  ): Promise<Campaign | null>;
  /** Deletes a draft and its enrollments; false if the campaign is not a draft. */
  remove(workspaceId: WorkspaceId, id: string): Promise<boolean>;

  /**
   * Enrolls leads. Returns null for each enrolled lead or the reason why it was refused, in the order of the request.
   * With `dryRun`, nothing is stored.
   */
  enroll(enrollments: readonly Enrollment[], dryRun: boolean, now: number): Promise<(EnrollRefusal | null)[]>;
  /** Due enrollments of running campaigns, at most `limit`. */
  due(now: number, limit: number): Promise<DueEnrollment[]>;
  nextDueAt(): Promise<number | null>;
  /**
   * Stores the next move of an enrollment together with its action, if any, in one transaction. Null if the enrollment
   * was moved or ended in the meantime, or its campaign is not running. Outcomes other than "scheduled" and "existing"
   * change nothing.
   */
  move(
    enrollment: Pick<Enrollment, "id" | "version">,
    change: EnrollmentChange,
    action: ScheduleAction | null,
  ): Promise<MoveOutcome | null>;
  /** Withdraws up to `limit` pending actions of a campaign from the queue; returns how many. */
  withdrawActions(campaignId: string, limit: number, at: number): Promise<number>;
  /** Ends up to `limit` active enrollments; returns how many. */
  stopAll(campaignId: string, reason: string, limit: number, at: number): Promise<number>;
  /** Ends an enrollment; null if it is not active, or does not exist in this campaign. */
  stop(
    workspaceId: WorkspaceId,
    campaignId: string,
    enrollmentId: string,
    reason: string,
    at: number,
  ): Promise<Enrollment | null>;

  /** The enrollments of a lead in all campaigns, with the names of these, newest first, at most `limit`. */
  ofLead(
    workspaceId: WorkspaceId,
    leadId: string,
    limit: number,
  ): Promise<{ enrollment: Enrollment; campaignName: string }[]>;
  /** Sorted by ID, at most `limit`, starting after `after`. */
  enrollments(
    workspaceId: WorkspaceId,
    campaignId: string,
    filter: EnrollmentFilter,
    after: string | null,
    limit: number,
  ): Promise<Enrollment[]>;
  /** How many enrollments `enrollments` lists on all pages. */
  countEnrollments(workspaceId: WorkspaceId, campaignId: string, filter: EnrollmentFilter): Promise<number>;
  counts(campaignId: string): Promise<CampaignCounts>;
  /** The counters of campaigns, summed over days. */
  funnel(campaignIds: readonly string[], filter: FunnelFilter): Promise<FunnelCount[]>;
  /** Stages of a campaign by day, oldest first. */
  funnelDays(campaignId: string, filter: FunnelFilter): Promise<FunnelDay[]>;
  /** The counters of a campaign by day, without places: by step, by step and variant, or by account. */
  funnelSeries(campaignId: string, filter: FunnelFilter, by: "step" | "variant" | "account"): Promise<FunnelDayCount[]>;
  /** Running campaigns in the order of their IDs, starting after `after`. */
  running(after: string | null, limit: number): Promise<Campaign[]>;
  /** Decides the test of a step; false if that was done, or the campaign is not running or has other steps. */
  decideWinner(campaignId: string, winner: Winner, at: number): Promise<boolean>;
  /** Whether a person is interested; `at` null: no longer. Returns how many enrollments changed. */
  noteInterest(subject: InterestSubject, at: number | null): Promise<number>;
};
