import { isoTime, isoTimeOrNull } from "../clock.ts";
import type { Campaign, CampaignView, Enrolment, EnrolmentView } from "./model.ts";

export function campaignView({ userId: _user, startedAt, createdAt, updatedAt, ...campaign }: Campaign): CampaignView {
  return {
    ...campaign,
    startedAt: isoTimeOrNull(startedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** `last`: the number of compiled steps. */
export function enrolmentView(enrolment: Enrolment, last: number): EnrolmentView {
  const { id, leadId, accountId, state, reason, atStep, jobId } = enrolment;
  return {
    id,
    leadId,
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
