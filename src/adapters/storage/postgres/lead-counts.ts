import { and, eq, inArray, sql } from "drizzle-orm";
import type { LeadStatus } from "../../../features/leads/model.ts";
import type { Connection } from "./engine.ts";
import { leadCounts } from "./tables.ts";

/** Appends changes to the counts: to update one row per user would make all writers of a user wait for each other. */
export async function addCounts(
  connection: Connection,
  owner: number,
  counts: readonly [LeadStatus, number][],
): Promise<void> {
  if (counts.length === 0) return;
  await connection.insert(leadCounts).values(counts.map(([status, change]) => ({ owner, status, leads: change })));
}

/** The number of leads with one of these statuses; of all if they are undefined. */
export async function countByStatus(
  connection: Connection,
  owner: number,
  statuses: readonly LeadStatus[] | undefined,
): Promise<number> {
  const [row] = await connection
    .select({ n: sql<number>`coalesce(sum(${leadCounts.leads}), 0)::bigint` })
    .from(leadCounts)
    .where(and(eq(leadCounts.owner, owner), statuses && inArray(leadCounts.status, statuses)));
  return row?.n ?? 0;
}

/** A sum over fewer rows takes less than 0.1 ms. */
const foldFrom = 200;
const foldedAtOnce = 50_000;

/**
 * Replaces the changes by their sums. One statement, so that readers see either; two nodes never fold the same rows.
 * Arrays, which are read once: with statistics from before a burst of changes, the planner would run a subquery again for
 * each row, which takes more than 30 seconds for 1,000.
 */
export async function foldCounts(connection: Connection): Promise<void> {
  for (;;) {
    const [folded] = await connection.execute<{ n: number }>(sql`
      WITH taken AS (
        DELETE FROM ${leadCounts} WHERE n = ANY(ARRAY(
          SELECT n FROM ${leadCounts}
          WHERE owner = ANY(ARRAY(SELECT owner FROM ${leadCounts} GROUP BY owner HAVING count(*) >= ${foldFrom}::bigint))
          LIMIT ${foldedAtOnce}::bigint FOR UPDATE SKIP LOCKED
        )) RETURNING owner, status, leads
      ),
      summed AS (
        INSERT INTO ${leadCounts} (owner, status, leads) SELECT owner, status, sum(leads) FROM taken GROUP BY owner, status
      )
      SELECT count(*) AS n FROM taken`);
    if ((folded?.n ?? 0) < foldedAtOnce) return;
  }
}
