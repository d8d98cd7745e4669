import { and, eq, inArray, sql } from "drizzle-orm";
import { decideInterest, type InterestSubject } from "../../../features/campaigns/interest.ts";
import { enrollmentsAfter, subjectOf } from "../../../features/campaigns/origin.ts";
import type { OriginNews } from "../../../features/network/decisions/changes.ts";
import { createFunnelRows } from "./campaign-funnel.ts";
import { campaignEnrollments, campaigns } from "./campaign-tables.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";

export type CampaignOrigin = ReturnType<typeof createCampaignOrigin>;

/** Notifies campaigns of their actions and of the people they reach, inside the write units of others. */
export function createCampaignOrigin({ orm }: Pick<Engine, "orm">) {
  const { id, accountId, profileKey, workspaceId } = campaignEnrollments;
  const funnel = createFunnelRows({ orm });
  const byId = lazy(() =>
    orm
      .select()
      .from(campaignEnrollments)
      .where(eq(id, sql.placeholder("enrollmentId")))
      .prepare(),
  );
  const byPerson = lazy(() =>
    orm
      .select()
      .from(campaignEnrollments)
      .where(and(eq(profileKey, sql.placeholder("profileKey")), eq(accountId, sql.placeholder("accountId"))))
      .prepare(),
  );
  const running = lazy(() =>
    orm
      .select({ id: campaigns.id })
      .from(campaigns)
      .where(and(eq(campaigns.id, sql.placeholder("campaign")), eq(campaigns.state, "running")))
      .prepare(),
  );
  return {
    notify(news: OriginNews): void {
      const subject = subjectOf(news);
      const enrollments = "enrollmentId" in subject ? byId().all(subject) : byPerson().all(subject);
      const { updates, funnel: changes } = enrollmentsAfter(news, enrollments);
      for (const { id: enrollment, values, isNewVersion } of updates)
        orm
          .update(campaignEnrollments)
          .set({ ...values, ...(isNewVersion && { version: sql`${campaignEnrollments.version} + 1` }) })
          .where(eq(id, enrollment))
          .run();
      funnel.add(changes);
    },
    /** See `CampaignStore.noteInterest`. */
    noteInterest(subject: InterestSubject, at: number | null): number {
      const person = and(eq(profileKey, subject.profileKey), eq(accountId, subject.accountId));
      const enrollments = orm
        .select()
        .from(campaignEnrollments)
        .where(and(person, eq(workspaceId, subject.workspaceId)))
        .all();
      const { ids, values, funnel: changes } = decideInterest(enrollments, at);
      if (ids.length > 0) orm.update(campaignEnrollments).set(values).where(inArray(id, ids)).run();
      funnel.add(changes);
      return ids.length;
    },
    isRunning: (campaign: string): boolean => running().get({ campaign }) !== undefined,
  };
}
