import { and, eq, sql } from "drizzle-orm";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { Engine } from "./engine.ts";
import { valueOf } from "./parameter.ts";
import { personOf } from "./network-objections.ts";
import type { ScheduleParts, Scheduling } from "./network-schedule.ts";
import { networkActions, waitsForSomebody } from "./network-tables.ts";
import { storedActionJob } from "./stored-job.ts";
import { jobs } from "./tables.ts";

/** Withdraws tasks for people who objected after a person got the task. */
export function createTaskStore(
  { orm, writer }: Engine,
  { accounts, suppressions, objectionTo }: ScheduleParts,
  scheduling: Scheduling,
): Pick<NetworkStore, "skipObjectedTasks"> {
  const tasks = orm
    .select({ job: jobs, row: networkActions })
    .from(networkActions)
    .innerJoin(jobs, eq(networkActions.jobId, jobs.id))
    .where(
      and(
        sql`${networkActions.account} IN (SELECT seq FROM network_accounts WHERE user_id = ${valueOf("userId")})`,
        sql.raw(waitsForSomebody),
        sql`${networkActions.state} = 'awaiting'`,
        sql`${networkActions.pendingReason} = 'awaitingPerson'`,
      ),
    )
    .prepare();

  function objected(userId: string, now: number) {
    return tasks.values({ userId }).flatMap((values) => {
      const { job, row } = storedActionJob(values);
      const record = accounts.get(row.account);
      const objection = record && objectionTo(record.seq, row, now);
      return record !== null && objection?.kind === "doNotContact" ? [{ job, row, record, objection }] : [];
    });
  }

  return {
    skipObjectedTasks: (userId, now) =>
      suppressions.knowing(
        () => tasks.values({ userId }).map((values) => personOf(storedActionJob(values).row)),
        async () => {
          if (objected(userId, now).length === 0) return;
          await writer.write(() => {
            for (const { objection, ...target } of objected(userId, now)) scheduling.skip(target, objection, now);
          });
        },
      ),
  };
}
