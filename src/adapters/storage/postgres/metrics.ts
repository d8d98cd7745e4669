import { and, asc, count, eq, gt, isNotNull, lte, max, min, or, sql, sum } from "drizzle-orm";
import type { BacklogState, MetricsStore } from "../../../platform/metrics/store.ts";
import { creditBalances, creditLedger } from "./credit-tables.ts";
import type { Engine } from "./engine.ts";
import { firstPending } from "./first-pending.ts";
import { networkAccounts } from "./network-tables.ts";
import { events, jobs } from "./tables.ts";
import { webhookDeliveries } from "./webhook-tables.ts";

/** Entries get their number before they are committed. None appears later than a statement may take. */
const settledMs = 30_000;

export function createMetricsStore({ orm, measureCommits }: Engine, now: () => number): MetricsStore {
  return {
    queue: async (at) => {
      const isDue = lte(jobs.runAt, at);
      return orm
        .select({
          type: jobs.type,
          waiting: count(),
          due: sql<number>`count(*) FILTER (WHERE ${isDue})`,
          oldestDueAt: sql<number | null>`min(${jobs.runAt}) FILTER (WHERE ${isDue})`,
        })
        .from(jobs)
        .where(eq(jobs.status, "pending"))
        .groupBy(jobs.type);
    },
    async deliveries() {
      const state = sql<BacklogState>`CASE WHEN ${webhookDeliveries.state} = 'failed' THEN 'failed'
        WHEN ${webhookDeliveries.tries} = 0 THEN 'pending' ELSE 'retrying' END`;
      const backlog = orm
        .select({
          state: state.as("backlog"),
          count: count().as("deliveries"),
          event: min(webhookDeliveries.event).as("first"),
        })
        .from(webhookDeliveries)
        .where(or(isNotNull(webhookDeliveries.nextAt), eq(webhookDeliveries.state, "failed")))
        .groupBy(sql`1`)
        .as("backlog");
      return orm
        .select({
          ...{ state: backlog.state, count: backlog.count },
          oldestEventAt: sql<number | null>`CASE WHEN ${backlog.state} <> 'failed' THEN ${events.at} END`,
        })
        .from(backlog)
        .leftJoin(events, eq(events.position, backlog.event));
    },
    accounts: () =>
      orm.select({ state: networkAccounts.state, count: count() }).from(networkAccounts).groupBy(networkAccounts.state),
    async balances(lowBelow) {
      const { balance } = creditBalances;
      const [found] = await orm
        .select({
          empty: sql<number>`count(*) FILTER (WHERE ${balance} <= 0)`,
          low: sql<number>`count(*) FILTER (WHERE ${balance} > 0 AND ${balance} < ${lowBelow})`,
          enough: sql<number>`count(*) FILTER (WHERE ${balance} > 0 AND ${balance} >= ${lowBelow})`,
          total: sum(balance).mapWith(Number),
        })
        .from(creditBalances);
      return { ...found!, total: found!.total ?? 0 };
    },
    async oldestDueAt(at) {
      const [row] = await orm.execute<{ oldest: number | null }>(
        sql`SELECT min(due.at) AS oldest FROM ${firstPending} WHERE due.at <= ${at}`,
      );
      return row?.oldest ?? null;
    },
    lastCredit: async () => (await orm.select({ last: max(creditLedger.seq) }).from(creditLedger))[0]?.last ?? 0,
    async credits(after, limit) {
      const settled = orm
        .select({ seq: creditLedger.seq, kind: creditLedger.kind, amount: creditLedger.amount })
        .from(creditLedger)
        .where(and(gt(creditLedger.seq, after), lte(creditLedger.createdAt, now() - settledMs)))
        .orderBy(asc(creditLedger.seq))
        .limit(limit)
        .as("settled");
      const rows = await orm
        .select({ kind: settled.kind, amount: sum(settled.amount).mapWith(Number), last: max(settled.seq) })
        .from(settled)
        .groupBy(settled.kind);
      const sums = rows.map(({ kind, amount }) => ({ kind, amount: amount ?? 0 }));
      return { sums, last: Math.max(after, ...rows.map(({ last }) => last ?? 0)) };
    },
    async sizes() {
      const [row] = await orm.execute<{ size: number }>(sql`SELECT pg_database_size(current_database()) AS size`);
      return { database: row?.size ?? 0, log: null };
    },
    measureCommits,
  };
}
