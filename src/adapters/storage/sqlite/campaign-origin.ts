import { and, eq, sql } from "drizzle-orm";
import { enrollmentsAfter, subjectOf } from "../../../features/campaigns/origin.ts";
import type { OriginNews } from "../../../features/network/decisions/changes.ts";
import { campaignEnrollments, campaigns } from "./campaign-tables.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";

export type CampaignOrigin = ReturnType<typeof createCampaignOrigin>;

/** Notifies campaigns of their actions, inside the write units of the network. */
export function createCampaignOrigin({ orm }: Pick<Engine, "orm">) {
  const { id, campaignId, state, jobId, createdAt, connectedAt, repliedAt, accountId, profileKey } =
    campaignEnrollments;
  const select = () =>
    orm.select({ id, campaignId, state, jobId, createdAt, connectedAt, repliedAt }).from(campaignEnrollments);
  const byId = lazy(() =>
    select()
      .where(eq(id, sql.placeholder("enrollmentId")))
      .prepare(),
  );
  const byPerson = lazy(() =>
    select()
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
      for (const { id: enrollment, values, isNewVersion } of enrollmentsAfter(news, enrollments))
        orm
          .update(campaignEnrollments)
          .set({ ...values, ...(isNewVersion && { version: sql`${campaignEnrollments.version} + 1` }) })
          .where(eq(id, enrollment))
          .run();
    },
    isRunning: (campaign: string): boolean => running().get({ campaign }) !== undefined,
  };
}
