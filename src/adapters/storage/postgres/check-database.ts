import { and, asc, count, eq, isNull, lt, min, ne, sql, sum } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type { ClusterNode } from "../../../platform/cluster/model.ts";
import { refuseUnknown } from "../applied-migrations.ts";
import { nodes, clusterLead } from "./cluster-tables.ts";
import { creditBalances, creditLedger } from "./credit-tables.ts";
import type { SharedRuns } from "../../../features/backup/shared-runs.ts";
import { readRuns } from "./backups.ts";
import { connect, type Connection, type ConnectionOptions } from "./engine.ts";
import { appliedMigrations, migrations } from "./migrate.ts";
import { networkAccounts } from "./network-tables.ts";
import { events, jobs } from "./tables.ts";

/** Waiting work: how much, and since when; null if there is none. */
export type Backlog = { count: number; since: number | null };

/** What an operator should know about a database that nodes share. */
export type DatabaseState = {
  bytes: number;
  nodes: ClusterNode[];
  /** The node that has the lead. */
  leader: string | null;
  /** Tables whose rows this user may not read and write. */
  forbiddenTables: string[];
  /** Workspaces whose balance is not the sum of their ledger. */
  unbalanced: string[];
  /** Jobs that became due before a time. */
  lateJobs: Backlog;
  /** Events that have waited for their position since before a time. */
  lateEvents: Backlog;
  /** Connections that PostgreSQL accepts from users without special rights. */
  maxConnections: number;
  backups: SharedRuns;
  /** URLs of the webhook connectors of accounts. */
  webhooks: string[];
};

/** A database that is only read. The caller closes it. */
export function openToCheck(url: string, options: ConnectionOptions) {
  const client = connect(url, { ...options, poolSize: 1 });
  const orm = drizzle(client);
  return {
    /**
     * Names of migrations that this program has and the database has not. Throws `StartError` when it is the other way
     * round.
     */
    async pendingMigrations(): Promise<string[]> {
      const applied = (await appliedMigrations(client)) ?? [];
      refuseUnknown(applied, migrations);
      const numbers = new Set(applied.map(({ number }) => number));
      return migrations.filter(({ number }) => !numbers.has(number)).map(({ name }) => name);
    },
    state: (now: number, late: { jobsBefore: number; eventsBefore: number }) => readState(orm, now, late),
    close: () => client.end(),
  };
}

async function readState(
  orm: Connection,
  now: number,
  { jobsBefore, eventsBefore }: { jobsBefore: number; eventsBefore: number },
): Promise<DatabaseState> {
  const [server] = await orm.execute<{ bytes: number; maxConnections: number }>(sql`SELECT
    pg_database_size(current_database()) AS bytes, current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int AS "maxConnections"`);
  const [lead] = await orm.select().from(clusterLead);
  return {
    ...server!,
    nodes: await orm.select().from(nodes).orderBy(asc(nodes.startedAt), asc(nodes.id)),
    leader: lead !== undefined && lead.until > now ? lead.holder : null,
    forbiddenTables: await forbiddenTables(orm),
    unbalanced: await unbalancedWorkspaces(orm),
    lateJobs: await backlog(
      orm
        .select({ count: count(), since: min(jobs.runAt) })
        .from(jobs)
        .where(and(eq(jobs.status, "pending"), lt(jobs.runAt, jobsBefore))),
    ),
    lateEvents: await backlog(
      orm
        .select({ count: count(), since: min(events.at) })
        .from(events)
        .where(and(isNull(events.position), lt(events.at, eventsBefore))),
    ),
    backups: await readRuns(orm),
    webhooks: await webhooksOf(orm),
  };
}

async function backlog(rows: PromiseLike<Backlog[]>): Promise<Backlog> {
  return (await rows)[0] ?? { count: 0, since: null };
}

async function forbiddenTables(orm: Connection): Promise<string[]> {
  const rows = await orm.execute<{ name: string }>(sql`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
      AND NOT (has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'INSERT')
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'UPDATE')
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'DELETE')) ORDER BY 1`);
  return rows.map(({ name }) => name);
}

/** At most ten. One statement, so that it sees one state of both tables. */
async function unbalancedWorkspaces(orm: Connection): Promise<string[]> {
  const ledger = orm
    .select({ workspaceId: creditLedger.workspaceId, total: sum(creditLedger.amount).as("total") })
    .from(creditLedger)
    .groupBy(creditLedger.workspaceId)
    .as("ledger");
  const rows = await orm
    .select({ workspaceId: sql<string>`coalesce(${creditBalances.workspaceId}, ${ledger.workspaceId})` })
    .from(creditBalances)
    .fullJoin(ledger, eq(ledger.workspaceId, creditBalances.workspaceId))
    .where(ne(sql`coalesce(${creditBalances.balance}, 0)`, sql`coalesce(${ledger.total}, 0)`))
    .limit(10);
  return rows.map(({ workspaceId }) => workspaceId);
}

async function webhooksOf(orm: Connection): Promise<string[]> {
  const url = sql<string | null>`${networkAccounts.connectorSettings} ->> 'url'`;
  const rows = await orm
    .selectDistinct({ url })
    .from(networkAccounts)
    .where(eq(networkAccounts.connector, "webhook"))
    .limit(50);
  return rows.flatMap((row) => (row.url === null ? [] : [row.url]));
}
