import type { OriginNews } from "../network/decisions/changes.ts";
import { funnelChange, summed, type CountedEnrollment, type FunnelChange } from "./funnel-marks.ts";
import type { Enrollment } from "./model.ts";
import { exitOf, extended } from "./trail.ts";

/** The part of an enrollment that updates about actions and people depend on. */
export type NewsEnrollment = CountedEnrollment & Pick<Enrollment, "id" | "jobId">;
type Values = Partial<Pick<Enrollment, "connectedAt" | "repliedAt" | "wakeAt" | "jobId" | "trail">>;
export type EnrollmentUpdate = {
  id: string;
  values: Values;
  /** Invalidates any decision about the enrollment that is being made concurrently. */
  isNewVersion: boolean;
};

/** Enrollments that may be affected: one by ID, or all of a person with this account. */
export type NewsSubject = { enrollmentId: string } | { accountId: string; profileKey: string };

export function subjectOf(news: OriginNews): NewsSubject {
  if (news.kind !== "person") return { enrollmentId: news.enrollmentId };
  return { accountId: news.accountId, profileKey: news.profileKey };
}

/** Returns the changes to enrollments, and to the counters of their campaigns, that follow from an update about an action or a person. */
export function enrollmentsAfter(
  news: OriginNews,
  enrollments: readonly NewsEnrollment[],
): { updates: EnrollmentUpdate[]; funnel: FunnelChange[] } {
  const updates: EnrollmentUpdate[] = [];
  const funnel: FunnelChange[] = [];
  for (const enrollment of enrollments) {
    const isActive = enrollment.state === "active";
    const values = isActive ? whileActive(news, enrollment) : afterEnd(news, enrollment);
    if (values === null) continue;
    updates.push({ id: enrollment.id, values, isNewVersion: isActive });
    funnel.push(...funnelChange(enrollment, { ...enrollment, ...values }));
  }
  return { updates, funnel: summed(funnel) };
}

function whileActive(news: OriginNews, enrollment: NewsEnrollment): Values | null {
  const { jobId, createdAt, connectedAt, repliedAt } = enrollment;
  if (news.kind === "actionEnded") return { ...leftStep(news, enrollment), wakeAt: news.at };
  if (news.kind === "actionWithdrawn") return { jobId: null, wakeAt: news.at };
  const { at, now } = news;
  if (news.news === "accepted") return { connectedAt: connectedAt ?? at, ...(jobId === null && { wakeAt: now }) };
  // A reply wakes the enrollment even while an action is in progress, because that action may have to be withdrawn.
  return createdAt > at ? null : { repliedAt: repliedAt ?? at, wakeAt: now };
}

/**
 * The last step often gets the reply, after the enrollment has ended. Only the campaign that sent last is credited. An
 * action that was being sent when the enrollment ended may also have reached the person.
 */
function afterEnd(news: OriginNews, enrollment: NewsEnrollment): Values | null {
  if (news.kind === "actionEnded") return leftStep(news, enrollment);
  if (news.kind !== "person" || enrollment.campaignId !== news.lastCampaignId) return null;
  if (enrollment.createdAt > news.at) return null;
  if (news.news === "accepted") return enrollment.connectedAt === null ? { connectedAt: news.at } : null;
  return enrollment.repliedAt === null ? { repliedAt: news.at } : null;
}

function leftStep(
  { step, actionType, state, carriedOutAt, at }: Extract<OriginNews, { kind: "actionEnded" }>,
  { trail }: NewsEnrollment,
): Pick<Values, "trail"> | null {
  const exit = exitOf(actionType, state);
  if (exit === null || step === null) return null;
  return { trail: extended(trail, [step, exit === "skipped" ? at : carriedOutAt, exit]) };
}
