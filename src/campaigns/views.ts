import { isoTime, isoTimeOrNull } from "../clock.ts";
import type { Lead } from "../leads/model.ts";
import type { Campaign, CampaignView, Enrolment, EnrolmentView } from "./model.ts";

export function campaignView({ userId: _user, startedAt, createdAt, updatedAt, ...campaign }: Campaign): CampaignView {
  return {
    ...campaign,
    startedAt: isoTimeOrNull(startedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** `last`: the number of compiled steps; `lead`: null once it is deleted. */
export function enrolmentView(enrolment: Enrolment, lead: Lead | null, last: number): EnrolmentView {
  const { id, leadId, accountId, state, reason, atStep, jobId } = enrolment;
  return {
    id,
    leadId,
    leadName: lead && nameOf(lead),
    accountId,
    state,
    reason,
    step: atStep >= last ? null : atStep,
    nextLookAt: isoTimeOrNull(enrolment.wakeAt),
    jobId,
    connectedAt: isoTimeOrNull(enrolment.connectedAt),
    repliedAt: isoTimeOrNull(enrolment.repliedAt),
    createdAt: isoTime(enrolment.createdAt),
    updatedAt: isoTime(enrolment.updatedAt),
  };
}

function nameOf({ firstName, lastName, email, networkUrl, company }: Lead): string {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  return name || email || networkUrl || company || "";
}
