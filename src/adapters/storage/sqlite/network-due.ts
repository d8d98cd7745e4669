import { and, asc, eq, sql } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { networkActions, waitsForSomebody } from "./network-tables.ts";
import { limitOf, valueOf } from "./parameter.ts";
import { lazy } from "./prepared.ts";
import { storedActionJob } from "./stored-job.ts";
import { jobs } from "./tables.ts";

/** Queries for actions with their jobs, for runners and workers. */
export function createDueQueries({ orm }: Engine) {
  const joined = () =>
    orm
      .select({ job: jobs, row: networkActions })
      .from(jobs)
      .innerJoin(networkActions, eq(networkActions.jobId, jobs.id));
  const isAction = sql`${jobs.type} = 'linkedin_action'`;
  const pending = lazy(() =>
    joined()
      .where(and(sql`${jobs.status} = 'pending'`, sql`${jobs.runAt} <= ${valueOf("now")}`, isAction))
      .orderBy(asc(jobs.runAt), asc(jobs.id))
      .limit(limitOf("limit"))
      .prepare(),
  );
  const abandoned = lazy(() =>
    joined()
      .where(and(sql`${jobs.status} = 'running'`, sql`${jobs.leaseUntil} <= ${valueOf("now")}`, isAction))
      .orderBy(asc(jobs.leaseUntil))
      .limit(limitOf("limit"))
      .prepare(),
  );
  const byJobs = lazy(() =>
    joined()
      .where(sql`${jobs.id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))`)
      .prepare(),
  );
  const forWorker = lazy(() =>
    joined()
      .where(
        and(
          sql`${networkActions.account} = ${valueOf("account")}`,
          sql.raw(waitsForSomebody),
          sql`${networkActions.state} = 'awaiting'`,
          sql`${networkActions.pendingReason} = 'awaitingWorker'`,
        ),
      )
      .orderBy(asc(networkActions.updatedAt))
      .limit(limitOf("limit"))
      .prepare(),
  );
  // `+` prevents SQLite from scanning the index of all running jobs.
  const stillClaimed = lazy(() =>
    orm
      .select({ id: jobs.id, attempt: jobs.attempt, metadata: jobs.metadata })
      .from(jobs)
      .where(
        and(
          sql`${jobs.id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))`,
          sql`+${jobs.status} = 'running'`,
          sql`+${jobs.leaseUntil} IS NOT NULL`,
        ),
      )
      .prepare(),
  );

  /** Actions with an expired claim, then due actions, each oldest first. */
  function at(now: number, limit: number): ReturnType<typeof storedActionJob>[] {
    const values = abandoned().values({ now, limit });
    values.push(...pending().values({ now, limit: limit - values.length }));
    return values.map(storedActionJob);
  }

  return { at, byJobs, forWorker, stillClaimed };
}
