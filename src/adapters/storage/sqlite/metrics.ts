import { statSync } from "node:fs";
import { jobTypes } from "../../../platform/jobs/model.ts";
import type { CreditBalances, MetricsStore, QueueDepth } from "../../../platform/metrics/store.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

type Backlog = Awaited<ReturnType<MetricsStore["deliveries"]>>[number];

export function createMetricsStore({ database, reader, writer }: Engine, path: string): MetricsStore {
  const lastCredit = prepared<{ last: number | null }, []>(database, "SELECT max(rowid) AS last FROM credit_ledger");
  const oldestDue = prepared<{ oldest: number | null }, [string, number]>(
    database,
    `SELECT min(at) AS oldest FROM (SELECT (SELECT run_at FROM jobs WHERE type = value AND status = 'pending'
      ORDER BY run_at LIMIT 1) AS at FROM json_each(?)) WHERE at <= ?`,
  );
  return {
    // Only jobs_due is read: a million waiting jobs take some 50 ms of a reader thread.
    queue: (now) =>
      reader.all<QueueDepth>({
        sql: `SELECT type, count(*) AS waiting, count(*) FILTER (WHERE run_at <= ?1) AS due,
                min(run_at) FILTER (WHERE run_at <= ?1) AS oldestDueAt
              FROM jobs WHERE status = 'pending' GROUP BY type`,
        params: [now],
      }),
    // A thread reads the deliveries that are due; those that failed are counted in their index.
    deliveries: () =>
      reader.all<Backlog>({
        sql: `SELECT state, count, (SELECT at FROM events WHERE seq = event) AS oldestEventAt FROM
                (SELECT CASE tries WHEN 0 THEN 'pending' ELSE 'retrying' END AS state, count(*) AS count, min(event) AS event
                 FROM webhook_deliveries WHERE next_at IS NOT NULL GROUP BY 1
                 UNION ALL SELECT 'failed', count(*), NULL FROM webhook_deliveries WHERE state = 'failed')`,
        params: [],
      }),
    accounts: () =>
      reader.all<{ state: string; count: number }>({
        sql: "SELECT state, count(*) AS count FROM network_accounts GROUP BY state",
        params: [],
      }),
    async balances(lowBelow) {
      const [found] = await reader.all<CreditBalances>({
        sql: `SELECT count(*) FILTER (WHERE balance <= 0) AS empty,
                count(*) FILTER (WHERE balance > 0 AND balance < ?1) AS low,
                count(*) FILTER (WHERE balance > 0 AND balance >= ?1) AS enough,
                coalesce(sum(balance), 0) AS total
              FROM credit_balances`,
        params: [lowBelow],
      });
      return found!;
    },
    oldestDueAt: async (now) => oldestDue.get(JSON.stringify(jobTypes), now)?.oldest ?? null,
    lastCredit: async () => lastCredit.get()?.last ?? 0,
    async credits(after, limit) {
      const rows = await reader.all<{ kind: string; amount: number; last: number }>({
        sql: `SELECT kind, sum(amount) AS amount, max(n) AS last FROM
                (SELECT rowid AS n, kind, amount FROM credit_ledger WHERE rowid > +?1 ORDER BY rowid LIMIT +?2)
              GROUP BY kind`,
        params: [after, limit],
      });
      const sums = rows.map(({ kind, amount }) => ({ kind, amount }));
      return { sums, last: Math.max(after, ...rows.map(({ last }) => last)) };
    },
    sizes: async () => ({ database: sizeOf(path), log: sizeOf(`${path}-wal`) }),
    measureCommits: (metrics) => writer.measure(metrics),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
