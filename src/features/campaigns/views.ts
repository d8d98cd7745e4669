import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import type { Lead } from "../leads/model.ts";
import { defaultSettings } from "./model.ts";
import type { Campaign, CampaignView, Enrollment, EnrollmentView } from "./model.ts";

export function campaignView({
  workspaceId: _workspace,
  startedAt,
  createdAt,
  updatedAt,
  ...campaign
}: Campaign): CampaignView {
  return {
    ...campaign,
    winners: { ...campaign.winners },
    // Campaigns of version 0.1.0 lack some settings.
    settings: { ...defaultSettings, ...campaign.settings },
    startedAt: isoTimeOrNull(startedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** `lead`: null if it was deleted. */
export function enrollmentView(enrollment: Enrollment, lead: Lead | null): EnrollmentView {
  const { id, leadId, accountId, state, reason, atStep, jobId } = enrollment;
  return {
    id,
    leadId,
    leadName: lead && nameOf(lead),
    accountId,
    state,
    reason,
    step: state === "completed" ? null : atStep,
    nextCheckAt: isoTimeOrNull(enrollment.wakeAt),
    jobId,
    connectedAt: isoTimeOrNull(enrollment.connectedAt),
    repliedAt: isoTimeOrNull(enrollment.repliedAt),
    interestedAt: isoTimeOrNull(enrollment.interestedAt),
    variants: { ...enrollment.variants },
    createdAt: isoTime(enrollment.createdAt),
    updatedAt: isoTime(enrollment.updatedAt),
  };
}

function nameOf({ firstName, lastName, email, networkUrl, company }: Lead): string {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  return name || email || networkUrl || company || "";
}
