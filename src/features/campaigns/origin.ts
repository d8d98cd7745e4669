import type { OriginNews } from "../network/decisions/changes.ts";
import type { Enrollment } from "./model.ts";

/** The part of an enrollment that updates about actions and people depend on. */
export type NewsEnrollment = Pick<
  Enrollment,
  "id" | "campaignId" | "state" | "jobId" | "createdAt" | "connectedAt" | "repliedAt"
>;
export type EnrollmentUpdate = {
  id: string;
  values: Partial<Pick<Enrollment, "connectedAt" | "repliedAt" | "wakeAt" | "jobId">>;
  /** Invalidates any decision about the enrollment that is being made concurrently. */
  isNewVersion: boolean;
};

/** Enrollments that may be affected: one by ID, or all of a person with this account. */
export type NewsSubject = { enrollmentId: string } | { accountId: string; profileKey: string };

export function subjectOf(news: OriginNews): NewsSubject {
  if (news.kind !== "person") return { enrollmentId: news.enrollmentId };
  return { accountId: news.accountId, profileKey: news.profileKey };
}

/** Returns the changes to enrollments that follow from an update about an action or a person. */
export function enrollmentsAfter(news: OriginNews, enrollments: readonly NewsEnrollment[]): EnrollmentUpdate[] {
  return enrollments.flatMap((enrollment) => {
    const values = enrollment.state === "active" ? whileActive(news, enrollment) : afterEnd(news, enrollment);
    return values === null ? [] : [{ id: enrollment.id, values, isNewVersion: enrollment.state === "active" }];
  });
}

function whileActive(
  news: OriginNews,
  { jobId, createdAt, connectedAt, repliedAt }: NewsEnrollment,
): EnrollmentUpdate["values"] | null {
  if (news.kind === "actionEnded") return { wakeAt: news.at };
  if (news.kind === "actionWithdrawn") return { jobId: null, wakeAt: news.at };
  const { at, now } = news;
  if (news.news === "accepted") return { connectedAt: connectedAt ?? at, ...(jobId === null && { wakeAt: now }) };
  // A reply wakes the enrollment even while an action is in progress, because that action may have to be withdrawn.
  return createdAt > at ? null : { repliedAt: repliedAt ?? at, wakeAt: now };
}

/** The last step often gets the reply, after the enrollment has ended. Only the campaign that sent last is credited. */
function afterEnd(news: OriginNews, enrollment: NewsEnrollment): EnrollmentUpdate["values"] | null {
  if (news.kind !== "person" || enrollment.campaignId !== news.lastCampaignId) return null;
  if (enrollment.createdAt > news.at) return null;
  if (news.news === "accepted") return enrollment.connectedAt === null ? { connectedAt: news.at } : null;
  return enrollment.repliedAt === null ? { repliedAt: news.at } : null;
}
