import { and, asc, count, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { NewEvent } from "../../../platform/events/model.ts";
import {
  jobStatuses,
  type Job,
  type JobFilter,
  type JobStatus,
  type JobClaim,
  type JobEnd,
} from "../../../platform/jobs/model.ts";
import type { ClaimRequest, ClientChange, JobCount, JobPageRequest, JobStore } from "../../../platform/jobs/store.ts";
import { pause } from "../../../lib/concurrency/pause.ts";
import { createAuditRows } from "./audit.ts";
import type { Engine } from "./engine.ts";
import { createEventRows } from "./event-rows.ts";
import { startEventOf, endEventOf } from "../../../platform/jobs/job-events.ts";
import {
  canceledJob,
  endedJob,
  hasEnded,
  isHeld,
  retriedJob,
  type JobChange,
} from "../../../platform/jobs/transitions.ts";
import { limitOf, valueOf } from "./parameter.ts";
import type { NetworkRows } from "./network.ts";
import { lazy, prepared } from "./prepared.ts";
import { insertJobSql, jobValues, storedJob } from "./stored-job.ts";
import { jobs } from "./tables.ts";

/** `network` has a say in the jobs that carry out its actions. */
export function createJobStore(engine: Engine, rows: JobRows, network: () => NetworkRows): JobStore {
  const { orm, database, writer, reader } = engine;
  const audits = createAuditRows(engine);

  const ofUser = (userId: string, id: string): Job | null => {
    const job = rows.get(id);
    return job?.userId === userId ? job : null;
  };
  /** An action's moment may change with every plan, so it is told from the action, not from the job. */
  const shown = (job: Job | null): Job | null => (job?.type === "linkedin_action" ? network().jobs.describe(job) : job);

  async function page({ userId, filter, limit, offset, after }: JobPageRequest): Promise<Job[]> {
    const place = after && sql`(${jobs.createdAt}, ${jobs.id}) < (${after.createdAt}, ${after.id})`;
    const found = await reader.all<{ id: string }>(
      orm
        .select({ id: jobs.id })
        .from(jobs)
        .where(and(filtered(userId, filter), place ?? undefined))
        .orderBy(desc(jobs.createdAt), desc(jobs.id))
        .limit(limit)
        .offset(offset)
        .toSQL(),
    );
    const page: Job[] = [];
    for (const [index, { id }] of found.entries()) {
      if (index > 0 && index % sliceRows === 0) await pause();
      const job = shown(ofUser(userId, id));
      if (job !== null) page.push(job);
    }
    return page;
  }

  async function countByStatus(userId: string, filter: JobFilter): Promise<Record<JobStatus, number>> {
    return counted(filtered(userId, filter));
  }

  async function counted(where: ReturnType<typeof filtered>): Promise<Record<JobStatus, number>> {
    const query = orm
      .select({ status: jobs.status, n: count().as("n") })
      .from(jobs)
      .where(where)
      .groupBy(jobs.status);
    const found = await reader.all<{ status: JobStatus; n: number }>(query.toSQL());
    const numbers = new Map(found.map(({ status, n }) => [status, n]));
    return Object.fromEntries(jobStatuses.map((status) => [status, numbers.get(status) ?? 0])) as Record<
      JobStatus,
      number
    >;
  }

  async function countByTime(userId: string, from: number, bucketMs: number): Promise<JobCount[]> {
    const at = sql<number>`${jobs.createdAt} / ${bucketMs} * ${bucketMs}`;
    const query = orm
      .select({ at: at.as("at"), status: jobs.status, jobs: count().as("jobs") })
      .from(jobs)
      .where(filtered(userId, { createdFrom: from }))
      .groupBy(sql`at`, jobs.status)
      .orderBy(sql`at`);
    return reader.all<JobCount>(query.toSQL());
  }

  const nextPending = prepared<{ at: number | null }, [string]>(
    database,
    "SELECT min(run_at) AS at FROM jobs WHERE status = 'pending' AND type = +?",
  );
  const nextLease = prepared<{ at: number | null }, [string]>(
    database,
    "SELECT min(lease_until) AS at FROM jobs WHERE status = 'running' AND lease_until IS NOT NULL AND type = +?",
  );

  async function nextDueAt(types: Job["type"][]): Promise<number | null> {
    const moments = types
      .flatMap((type) => [nextPending.get(type)?.at, nextLease.get(type)?.at])
      .filter((at) => typeof at === "number");
    return moments.length === 0 ? null : Math.min(...moments);
  }

  function cancel(userId: string, id: string, at: number): ClientChange {
    const job = ofUser(userId, id);
    if (job === null) return { kind: "absent" };
    if (hasEnded(job)) return { kind: "refused", job };
    if (job.type === "linkedin_action") return network().jobs.cancel(job, at);
    return { kind: "changed", job: rows.write(job, canceledJob(job, at)) };
  }

  function retry(userId: string, id: string, at: number): ClientChange {
    const job = ofUser(userId, id);
    if (job === null) return { kind: "absent" };
    if (job.status !== "failed") return { kind: "refused", job };
    if (job.type === "linkedin_action") return network().jobs.retry(job, at);
    return { kind: "changed", job: rows.write(job, retriedJob(job, at)) };
  }

  function editMessage(id: string, message: string, at: number): Job | null {
    const job = rows.get(id);
    if (job === null) return null;
    return shown(hasEnded(job) ? rows.write(job, { message, updatedAt: at }) : rows.editMessage(job, message, at));
  }

  return {
    insert: (job, audit) =>
      writer.write(() => {
        rows.insert(job);
        audits.append(audit);
      }),
    get: async (userId, id) => shown(ofUser(userId, id)),
    page,
    countByStatus,
    countByTime,
    claim: (request) => writer.write(() => rows.claim(request)),
    renew: (claims, leaseUntil) =>
      writer.write(() =>
        claims.filter((claim) => !rows.writeClaimed(claim, () => ({ leaseUntil }))).map(({ id }) => id),
      ),
    end: (claim, end) =>
      writer.write(() => {
        const isLast = end.kind === "completed" || end.kind === "failed";
        const isOurs = rows.end(claim, end);
        // An action is ended by its feature. Whoever ends only its job, after too many interruptions, gave it up.
        if (isOurs && isLast) network().jobs.gaveUp(claim.id, end.message, end.at);
        return isOurs;
      }),
    nextDueAt,
    cancel: (userId, id, at) => writer.write(() => cancel(userId, id, at)),
    retry: (userId, id, at) => writer.write(() => retry(userId, id, at)),
    isOpen: async (id, failedAfter) => {
      const job = rows.get(id);
      if (job === null || job.status === "completed") return false;
      return job.status !== "failed" || job.updatedAt > failedAfter;
    },
    editMessage: (id, message, at) => writer.write(() => editMessage(id, message, at)),
    countAll: () => counted(undefined),
  };
}

/** Read in one go, which takes a millisecond or two. */
const sliceRows = 50;

/** Single jobs inside a write unit; also for features whose own rows change together with their job. */
export type JobRows = ReturnType<typeof createJobRows>;

export function createJobRows(engine: Engine) {
  const { orm, database } = engine;
  const events = createEventRows(engine);
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
        and(isInTurn, isOfType, sql`${jobs.userId} > ${valueOf("after")}`, sql`${jobs.runAt} <= ${valueOf("now")}`),
      )
      .orderBy(asc(jobs.userId), asc(jobs.runAt), asc(jobs.id))
      .limit(1)
      .prepare(),
  );
  /** Whose job was claimed last, by type. A restart begins with the first user again, which is fair enough. */
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
  const lease = lazy(() =>
    orm
      .update(jobs)
      .set({
        status: "running",
        attempt: sql`${jobs.attempt} + 1`,
        failures: sql`${jobs.failures} + ${at("failures")}`,
        leaseUntil: sql`${at("leaseUntil")}`,
        updatedAt: sql`${at("now")}`,
      })
      .where(eq(jobs.id, at("id")))
      .prepare(),
  );

  const get = (id: string): Job | null => {
    const [row] = byId().values({ id });
    return row === undefined ? null : storedJob(row);
  };

  // All that can change at once, prepared: to build a query for each change costs more than to write it.
  const update = prepared(
    database,
    `UPDATE jobs SET status = ?, run_at = ?, attempt = ?, failures = ?, lease_until = ?, message = ?, progress = ?,
       metadata = ?, updated_at = ?, completed_at = ? WHERE id = ?`,
  );

  const setEditedMessage = prepared(database, "UPDATE jobs SET edited_message = ?, updated_at = ? WHERE id = ?");

  function write(job: Job, change: Partial<Job>): Job {
    const after = { ...job, ...change };
    const { status, runAt, attempt, failures, leaseUntil, message, progress, updatedAt, completedAt, id } = after;
    const metadata = JSON.stringify(after.metadata);
    update.run(status, runAt, attempt, failures, leaseUntil, message, progress, metadata, updatedAt, completedAt, id);
    if (job.status !== status && hasEnded(after)) tell(endEventOf(after));
    const isAgain = hasEnded(job) && !hasEnded(after) && (job.editedMessage ?? null) !== null;
    return isAgain ? editMessage(after, null, updatedAt) : after;
  }

  function editMessage(job: Job, editedMessage: string | null, updatedAt: number): Job {
    setEditedMessage.run(editedMessage, updatedAt, job.id);
    return { ...job, editedMessage, updatedAt };
  }

  function tell(event: NewEvent | null): void {
    if (event !== null) events.append(event);
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
    const claimed = (job: Job, failures: number): Job => {
      lease().run({ id: job.id, leaseUntil, now, failures });
      const { attempt } = job;
      return {
        ...job,
        status: "running",
        attempt: attempt + 1,
        failures: job.failures + failures,
        leaseUntil,
        updatedAt: now,
      };
    };
    const all = lost.map((job) => claimed(job, 1));
    const next = (after: string) => nextInTurn().all({ ...request, after })[0];
    while (all.length < limit) {
      const last = lastServed.get(type);
      const job = next(last ?? "") ?? (last === undefined ? undefined : next(""));
      if (job === undefined) {
        lastServed.delete(type); // nobody waits
        break;
      }
      lastServed.set(type, job.userId);
      all.push(claimed(job, 0));
    }
    return all;
  }

  return {
    get,
    insert(job: Job): void {
      insertJob.run(...jobValues(job));
      tell(startEventOf(job));
    },
    write,
    /** Null takes the client's message away. */
    editMessage,
    writeClaimed,
    claim,
    end: (claimed: JobClaim, end: JobEnd) => writeClaimed(claimed, (job) => endedJob(job, end)),
  };
}

function filtered(userId: string, { status, type, createdFrom, createdTo }: JobFilter) {
  return and(
    eq(jobs.userId, userId),
    status && eq(jobs.status, status),
    type && eq(jobs.type, type),
    createdFrom === undefined ? undefined : gte(jobs.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(jobs.createdAt, createdTo),
  );
}
