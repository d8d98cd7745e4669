import { and, eq, inArray, sql } from "drizzle-orm";
import { decideInterest, type InterestSubject } from "../../../features/campaigns/interest.ts";
import { enrollmentsAfter, subjectOf } from "../../../features/campaigns/origin.ts";
import type { OriginNews } from "../../../features/network/decisions/changes.ts";
import { addFunnelChanges } from "./campaign-funnel.ts";
import { campaignEnrollments } from "./campaign-tables.ts";
import type { Connection } from "./engine.ts";

const { id, accountId, profileKey, workspaceId, version } = campaignEnrollments;

/** Campaigns are the origin of actions. */
export async function tellOrigin(connection: Connection, news: OriginNews): Promise<void> {
  const subject = subjectOf(news);
  const where =
    "enrollmentId" in subject
      ? eq(id, subject.enrollmentId)
      : and(eq(profileKey, subject.profileKey), eq(accountId, subject.accountId));
  const enrollments = await connection.select().from(campaignEnrollments).where(where).orderBy(id).for("update");
  const { updates, funnel } = enrollmentsAfter(news, enrollments);
  for (const { id: enrollment, values, isNewVersion } of updates)
    await connection
      .update(campaignEnrollments)
      .set({ ...values, ...(isNewVersion && { version: sql`${version} + 1` }) })
      .where(eq(id, enrollment));
  await addFunnelChanges(connection, funnel);
}

/** See `CampaignStore.noteInterest`. Locks enrollments of the person. */
export async function noteInterest(
  connection: Connection,
  subject: InterestSubject,
  at: number | null,
): Promise<number> {
  const person = and(eq(profileKey, subject.profileKey), eq(accountId, subject.accountId));
  const enrollments = await connection
    .select()
    .from(campaignEnrollments)
    .where(and(person, eq(workspaceId, subject.workspaceId)))
    .orderBy(id)
    .for("update");
  const { ids, values, funnel } = decideInterest(enrollments, at);
  if (ids.length > 0) await connection.update(campaignEnrollments).set(values).where(inArray(id, ids));
  await addFunnelChanges(connection, funnel);
  return ids.length;
}
