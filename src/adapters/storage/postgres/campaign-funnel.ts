import { and, asc, eq, gt, gte, inArray, lte, or, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { noStep, stages, type FunnelChange, type Stage } from "../../../features/campaigns/funnel-marks.ts";
import type { CampaignStore, FunnelFilter } from "../../../features/campaigns/store.ts";
import { campaignFunnel, campaignFunnelChanges, campaigns } from "./campaign-tables.ts";
import type { Connection, Engine } from "./engine.ts";

/** Appends changes of counters: to update one row per counter would make all writers of a campaign wait for each other. */
export async function addFunnelChanges(connection: Connection, changes: readonly FunnelChange[]): Promise<void> {
  if (changes.length === 0) return;
  await connection
    .insert(campaignFunnelChanges)
    .values(changes.map(({ change, ...counter }) => ({ ...counter, enrollments: change })));
}

export function createFunnelQueries({ orm }: Engine): Pick<CampaignStore, "funnel" | "funnelDays" | "funnelSeries"> {
  /** The counters of campaigns, with what was not added to them yet. */
  const countersOf = (campaignIds: readonly string[], filter: FunnelFilter) => {
    const rowsOf = (table: typeof campaignFunnel | typeof campaignFunnelChanges) => {
      const { campaignId, mark, day, accountId, step, variant, enrollments } = table;
      return orm
        .select({ campaignId, mark, day, accountId, step, variant, enrollments })
        .from(table as typeof campaignFunnel)
        .where(and(inArray(campaignId, [...campaignIds]), isWithin(table, filter)));
    };
    return unionAll(rowsOf(campaignFunnel), rowsOf(campaignFunnelChanges)).as("counters");
  };
  return {
    async funnel(campaignIds, filter) {
      const counters = countersOf(campaignIds, filter);
      const { campaignId, mark, accountId, step, variant, enrollments } = counters;
      return orm
        .select({ campaignId, mark, accountId, step, variant, enrollments: sql<number>`sum(${enrollments})::bigint` })
        .from(counters)
        .groupBy(campaignId, mark, accountId, step, variant)
        .having(sql`sum(${enrollments}) <> 0`);
    },
    async funnelDays(id, filter) {
      const counters = countersOf([id], filter);
      const { day, mark, enrollments } = counters;
      return orm
        .select({ day, stage: sql<Stage>`${mark}`, enrollments: sql<number>`sum(${enrollments})::bigint` })
        .from(counters)
        .where(inArray(mark, [...stages]))
        .groupBy(day, mark)
        .having(sql`sum(${enrollments}) <> 0`)
        .orderBy(asc(day));
    },
    async funnelSeries(id, filter, by) {
      const counters = countersOf([id], filter);
      const { campaignId, day, mark, accountId, step, variant, enrollments } = counters;
      const columns = { step: [step], variant: [step, variant], account: [accountId] }[by];
      return orm
        .select({
          ...{ campaignId, day, mark },
          accountId: by === "account" ? accountId : sql<string>`''`,
          step: by === "account" ? sql<number>`${noStep}::integer` : step,
          variant: by === "variant" ? variant : sql<string>`''`,
          enrollments: sql<number>`sum(${enrollments})::bigint`,
        })
        .from(counters)
        .where(gt(day, 0))
        .groupBy(campaignId, day, mark, ...columns)
        .having(sql`sum(${enrollments}) <> 0`);
    },
  };
}

function isWithin(
  { day, accountId: account }: Pick<typeof campaignFunnel, "day" | "accountId"> | typeof campaignFunnelChanges,
  { fromDay, toDay, accountId }: FunnelFilter,
) {
  const days = and(fromDay === null ? undefined : gte(day, fromDay), toDay === null ? undefined : lte(day, toDay));
  return and(accountId === null ? undefined : eq(account, accountId), days && or(eq(day, 0), days));
}

const foldedAtOnce = 50_000;
/** Each funnel reads past the versions of rows that fewer leave: that takes about 1 ms. */
const vacuumedFrom = 10_000;

/**
 * Adds changes to the counters. One statement, so that readers see them in either place. Called by one node at a time,
 * outside of transactions. An array, as in `foldCounts`.
 */
export async function foldFunnel(connection: Connection): Promise<void> {
  const counter = sql.raw("campaign_id, mark, day, account_id, step, variant");
  for (let total = 0; ;) {
    const [folded] = await connection.execute<{ n: number }>(sql`
      WITH taken AS (
        DELETE FROM ${campaignFunnelChanges} WHERE n = ANY(ARRAY(
          SELECT n FROM ${campaignFunnelChanges} ORDER BY n LIMIT ${foldedAtOnce}::bigint FOR UPDATE SKIP LOCKED
        )) RETURNING ${counter}, enrollments
      ),
      summed AS (
        INSERT INTO ${campaignFunnel} AS counters (${counter}, enrollments)
        SELECT ${counter}, sum(enrollments) FROM taken
        WHERE EXISTS (SELECT 1 FROM ${campaigns} WHERE ${campaigns.id} = taken.campaign_id)
        GROUP BY ${counter} HAVING sum(enrollments) <> 0 ORDER BY ${counter}
        ON CONFLICT (${counter}) DO UPDATE SET enrollments = counters.enrollments + excluded.enrollments
      )
      SELECT count(*) AS n FROM taken`);
    const n = folded?.n ?? 0;
    total += n;
    if (n === foldedAtOnce) continue;
    // The database does so itself a minute later; until then, it would read 17 MB for 150,000 changes that are gone.
    if (total >= vacuumedFrom) await connection.execute(sql`VACUUM (SKIP_LOCKED) ${campaignFunnelChanges}`);
    return;
  }
}
