import { and, asc, eq, gt, gte, inArray, lte, or, sql } from "drizzle-orm";
import { noStep, stages, type FunnelChange } from "../../../features/campaigns/funnel-marks.ts";
import type {
  CampaignStore,
  FunnelCount,
  FunnelDay,
  FunnelDayCount,
  FunnelFilter,
} from "../../../features/campaigns/store.ts";
import { campaignFunnel } from "./campaign-tables.ts";
import type { Engine } from "./engine.ts";
import { placeholdersOf } from "./placeholders.ts";
import { lazy } from "./prepared.ts";

export type FunnelRows = ReturnType<typeof createFunnelRows>;

/** Counters of campaigns, inside the write units that change their enrollments. */
export function createFunnelRows({ orm }: Pick<Engine, "orm">) {
  const { campaignId, mark, day, accountId, step, variant, enrollments } = campaignFunnel;
  const add = lazy(() =>
    orm
      .insert(campaignFunnel)
      .values(placeholdersOf(campaignFunnel))
      .onConflictDoUpdate({
        target: [campaignId, mark, day, accountId, step, variant],
        set: { enrollments: sql`${enrollments} + excluded.enrollments` },
      })
      .prepare(),
  );
  return {
    add(changes: readonly FunnelChange[]): void {
      for (const { change, ...counter } of changes) add().run({ ...counter, enrollments: change });
    },
  };
}

export function createFunnelQueries({
  orm,
  reader,
}: Engine): Pick<CampaignStore, "funnel" | "funnelDays" | "funnelSeries"> {
  const { campaignId, mark, day, accountId, step, variant } = campaignFunnel;
  const enrollments = sql<number>`sum(${campaignFunnel.enrollments})`.as("enrollments");
  const isNotZero = sql`sum(${campaignFunnel.enrollments}) <> 0`;
  return {
    funnel: (campaignIds, filter) =>
      reader.all<FunnelCount>(
        orm
          .select({
            campaignId: sql`${campaignId}`.as("campaignId"),
            mark: sql`${mark}`.as("mark"),
            accountId: sql`${accountId}`.as("accountId"),
            step: sql`${step}`.as("step"),
            variant: sql`${variant}`.as("variant"),
            enrollments,
          })
          .from(campaignFunnel)
          .where(and(inArray(campaignId, [...campaignIds]), isWithin(filter)))
          .groupBy(campaignId, mark, accountId, step, variant)
          .having(isNotZero)
          .toSQL(),
      ),
    funnelDays: (id, filter) =>
      reader.all<FunnelDay>(
        orm
          .select({ day: sql`${day}`.as("day"), stage: sql`${mark}`.as("stage"), enrollments })
          .from(campaignFunnel)
          .where(and(eq(campaignId, id), inArray(mark, [...stages]), isWithin(filter)))
          .groupBy(day, mark)
          .having(isNotZero)
          .orderBy(asc(day))
          .toSQL(),
      ),
    funnelSeries: (id, filter, by) =>
      reader.all<FunnelDayCount>(
        orm
          .select({
            campaignId: sql`${campaignId}`.as("campaignId"),
            day: sql`${day}`.as("day"),
            mark: sql`${mark}`.as("mark"),
            accountId: (by === "account" ? sql`${accountId}` : sql`''`).as("accountId"),
            step: (by === "account" ? sql`${noStep}` : sql`${step}`).as("step"),
            variant: (by === "variant" ? sql`${variant}` : sql`''`).as("variant"),
            enrollments,
          })
          .from(campaignFunnel)
          .where(and(eq(campaignId, id), gt(day, 0), isWithin(filter)))
          .groupBy(...[day, mark, ...columnsOf(by)])
          .having(isNotZero)
          .toSQL(),
      ),
  };
}

function columnsOf(by: "step" | "variant" | "account") {
  const { accountId, step, variant } = campaignFunnel;
  return { step: [step], variant: [step, variant], account: [accountId] }[by];
}

function isWithin({ fromDay, toDay, accountId }: FunnelFilter) {
  const { day } = campaignFunnel;
  const days = and(fromDay === null ? undefined : gte(day, fromDay), toDay === null ? undefined : lte(day, toDay));
  return and(accountId === null ? undefined : eq(campaignFunnel.accountId, accountId), days && or(eq(day, 0), days));
}
