import { and, asc, eq, sql } from "drizzle-orm";
import type { Job, JobClaim, JobEnd } from "../../../platform/jobs/model.ts";
import type { ClaimRequest } from "../../../platform/jobs/store.ts";
import { startEventOf } from "../../../platform/jobs/job-events.ts";
import { changedJob, claimedJob, endedJob, isHeld, type JobChange } from "../../../platform/jobs/transitions.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { limitOf, newValueOf, valueOf } from "./parameter.ts";
import { lazy, prepared } from "./prepared.ts";
import { insertJobSql, jobValues, storedJob } from "./stored-job.ts";
import { jobs } from "./tables.ts";

/** Single jobs inside a write unit, also for features whose own rows change together with their job. */
export type JobRows = ReturnType<typeof createJobRows>;

export function createJobRows({ orm, database }: Engine, events: EventRows) {
  const at = sql.placeholder;
  const byId = lazy(() =>
    orm
      .select()
      .from(jobs)
      .where(eq(jobs.id, at("id")))
      .prepare(),
  );
  const insertJob = prepared(database, insertJobSql);
  const isOfType = sql`${jobs.type} = ${valueOf("type")}`;
  const isInTurn = sql`${jobs.status} = 'pending' AND ${jobs.type} <> 'linkedin_action'`;
  const nextInTurn = lazy(() =>
    orm
      .select()
      .from(jobs)
      .where(
        and(
          isInTurn,
          isOfType,
          sql`${jobs.workspaceId} > ${valueOf("after")}`,
          sql`${jobs.runAt} <= ${valueOf("now")}`,
        ),
      )
      .orderBy(asc(jobs.workspaceId), asc(jobs.runAt), asc(jobs.id))
      .limit(1)
      .prepare(),
  );
  /** The user whose job was claimed last, by type. After a restart, the first user has the first turn again. */
  const lastServed = new Map<string, string>();
  const abandoned = lazy(() =>
    orm
      .select()
      .from(jobs)
      .where(and(sql`${jobs.status} = 'running'`, isOfType, sql`${jobs.leaseUntil} <= ${valueOf("now")}`))
      .orderBy(asc(jobs.leaseUntil))
      .limit(limitOf("limit"))
      .prepare(),
  );
  const get = (id: string): Job | null => {
    const [row] = byId().values({ id });
    return row === undefined ? null : storedJob(row);
  };

  // One prepared query for everything that may change: building one for each change would take longer than writing it.
  const update = lazy(() =>
    orm
      .update(jobs)
      .set({
        status: newValueOf("status"),
        runAt: newValueOf("runAt"),
        attempt: newValueOf("attempt"),
        failures: newValueOf("failures"),
        leaseUntil: newValueOf("leaseUntil"),
        message: newValueOf("message"),
        progress: newValueOf("progress"),
        metadata: newValueOf("metadataJson"),
        updatedAt: newValueOf("updatedAt"),
        completedAt: newValueOf("completedAt"),
      })
      .where(eq(jobs.id, at("id")))
      .prepare(),
  );

  function write(job: Job, change: JobChange): Job {
    const { job: after, event } = changedJob(job, change);
    update().run({ ...after, metadataJson: JSON.stringify(after.metadata) });
    const editedMessage = after.editedMessage ?? null;
    if (editedMessage !== (job.editedMessage ?? null))
      orm.update(jobs).set({ editedMessage }).where(eq(jobs.id, job.id)).run();
    if (event !== null) events.append(event);
    return after;
  }

  /** Writes if the claim still holds; false, and nothing, when it is void. */
  function writeClaimed(claim: JobClaim, change: (job: Job) => JobChange): boolean {
    const job = get(claim.id);
    if (job === null || !isHeld(job, claim)) return false;
    write(job, change(job));
    return true;
  }

  function claim({ type, limit, now, leaseUntil }: ClaimRequest): Job[] {
    const request = { type, now };
    const lost = abandoned().all({ ...request, limit });
    const claimed = (job: Job, isAbandoned: boolean): Job =>
      write(job, claimedJob(job, { isAbandoned, leaseUntil, at: now }));
    const all = lost.map((job) => claimed(job, true));
    const next = (after: string) => nextInTurn().all({ ...request, after })[0];
    while (all.length < limit) {
      const last = lastServed.get(type);
      const job = next(last ?? "") ?? (last === undefined ? undefined : next(""));
      if (job === undefined) {
        lastServed.delete(type); // nobody waits
        break;
      }
      lastServed.set(type, job.workspaceId);
      all.push(claimed(job, false));
    }
    return all;
  }

  return {
    get,
    insert(job: Job): void {
      insertJob.run(...jobValues(job));
      const event = startEventOf(job);
      if (event !== null) events.append(event);
    },
    write,
    writeClaimed,
    claim,
    end: (claimed: JobClaim, end: JobEnd) => writeClaimed(claimed, (job) => endedJob(job, end)),
  };
}
