import { and, asc, eq, lte, sql } from "drizzle-orm";
import { beginningOf, endOf } from "../../../platform/jobs/job-events.ts";
import type { Job, JobClaim, JobEnd } from "../../../platform/jobs/model.ts";
import type { ClaimRequest, ClientChange, JobStore } from "../../../platform/jobs/store.ts";
import { canceledJob, endedJob, hasEnded, isHeld, type JobChange } from "../../../platform/jobs/transitions.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { jobs } from "./tables.ts";

type SliceOfJobs = Pick<JobStore, "insert" | "get" | "claim" | "end" | "cancel">;

/** Jobs of handlers in this process; network actions have a claim of their own. */
export function createJobStore({ orm, transact }: Engine): SliceOfJobs {
  return {
    insert: (job, audit) => {
      if (audit !== undefined) throw new Error("The audit log does not exist on PostgreSQL yet");
      return transact((connection) => insertJob(connection, job));
    },
    get: async (userId, id) => {
      const [job] = await orm
        .select()
        .from(jobs)
        .where(and(eq(jobs.id, id), eq(jobs.userId, userId)));
      return job ?? null;
    },
    claim: (request) => transact((connection) => claim(connection, request)),
    end: (held, end) => transact((connection) => endClaim(connection, held, end)),
    cancel: (userId, id, at) => transact((connection) => cancel(connection, userId, id, at)),
  };
}

export async function insertJob(connection: Connection, job: Job): Promise<void> {
  await connection.insert(jobs).values(job);
  const event = beginningOf(job);
  if (event !== null) await appendEvents(connection, [event]);
}

/** The job, which nobody else changes until the transaction ends. */
export async function lockJob(connection: Connection, id: string): Promise<Job | null> {
  const [job] = await connection.select().from(jobs).where(eq(jobs.id, id)).for("update");
  return job ?? null;
}

export async function writeJob(connection: Connection, job: Job, change: JobChange): Promise<Job> {
  const after = { ...job, ...change };
  await connection.update(jobs).set(change).where(eq(jobs.id, job.id));
  const event = job.status !== after.status && hasEnded(after) ? endOf(after) : null;
  if (event !== null) await appendEvents(connection, [event]);
  return after;
}

async function claim(connection: Connection, { type, limit, now, leaseUntil }: ClaimRequest): Promise<Job[]> {
  const abandoned = await connection
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.type, type), sql`${jobs.status} = 'running'`, lte(jobs.leaseUntil, now)))
    .orderBy(asc(jobs.leaseUntil))
    .limit(limit)
    .for("update", { skipLocked: true });
  // Users take turns: each one's oldest job comes before anybody's second.
  const turn = sql`row_number() OVER (PARTITION BY user_id ORDER BY run_at, id)`;
  const due = await connection.execute<{ id: string }>(sql`
    SELECT id FROM jobs WHERE status = 'pending' AND id IN (
      SELECT id FROM (
        SELECT id, user_id, ${turn} AS turn FROM jobs
        WHERE type = ${type} AND type <> 'linkedin_action' AND status = 'pending' AND run_at <= ${now}
      ) AS waiting ORDER BY turn, user_id LIMIT ${limit - abandoned.length}
    ) FOR UPDATE SKIP LOCKED`);
  const isAbandoned = new Set(abandoned.map(({ id }) => id));
  const claimed: Job[] = [];
  for (const { id } of [...abandoned, ...due]) {
    const [job] = await connection
      .update(jobs)
      .set({
        status: "running",
        attempt: sql`${jobs.attempt} + 1`,
        failures: sql`${jobs.failures} + ${isAbandoned.has(id) ? 1 : 0}`,
        leaseUntil,
        updatedAt: now,
      })
      .where(eq(jobs.id, id))
      .returning();
    if (job !== undefined) claimed.push(job);
  }
  return claimed;
}

async function endClaim(connection: Connection, held: JobClaim, end: JobEnd): Promise<boolean> {
  const job = await lockJob(connection, held.id);
  if (job === null || !isHeld(job, held)) return false;
  await writeJob(connection, job, endedJob(job, end));
  return true;
}

async function cancel(connection: Connection, userId: string, id: string, at: number): Promise<ClientChange> {
  const job = await lockJob(connection, id);
  if (job?.userId !== userId) return { kind: "absent" };
  if (hasEnded(job)) return { kind: "refused", job };
  return { kind: "changed", job: await writeJob(connection, job, canceledJob(job, at)) };
}
