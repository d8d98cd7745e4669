import type { ScheduleOutcome } from "../network/queue-model.ts";
import type { Campaign, Enrollment } from "./model.ts";

export type CampaignChange = { updatedAt: number } & Partial<
  Pick<
    Campaign,
    "name" | "state" | "steps" | "accountIds" | "settings" | "startedAt" | "version" | "firstStep" | "winners"
  >
>;

export type EnrollRefusal =
  | "alreadyEnrolled"
  | "inOtherCampaign"
  | "contactedRecently"
  | "doNotContact"
  | "leadGone"
  | "campaignEnded";

export type EnrollmentChange = { updatedAt: number } & Partial<
  Pick<Enrollment, "state" | "reason" | "atStep" | "sinceAt" | "wakeAt" | "jobId" | "variants" | "trail">
>;

export type MoveOutcome = ScheduleOutcome | { kind: "moved" };
