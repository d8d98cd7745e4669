import { and, eq, sql } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { networkActions, waitsForSomebody } from "./network-tables.ts";
import { valueOf } from "./parameter.ts";
import { lazy } from "./prepared.ts";
import { jobs } from "./tables.ts";

/** Actions that a user must perform, with their jobs. */
export function createTaskQuery({ orm }: Engine) {
  return lazy(() =>
    orm
      .select({ job: jobs, row: networkActions })
      .from(networkActions)
      .innerJoin(jobs, eq(networkActions.jobId, jobs.id))
      .where(
        and(
          sql`${networkActions.account} IN (SELECT seq FROM network_accounts WHERE workspace_id = ${valueOf("workspaceId")})`,
          sql.raw(waitsForSomebody),
          sql`${networkActions.state} = 'awaiting'`,
          sql`${networkActions.pendingReason} = 'awaitingPerson'`,
        ),
      )
      .prepare(),
  );
}
