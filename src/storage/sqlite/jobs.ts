import { and, asc, count, desc, eq, gte, inArray, lte, min, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { jobStatuses, type Job, type JobFilter, type JobMetadata, type JobStatus } from "../../jobs/model.ts";
import type { ClaimRequest, ClientChange, JobClaim, JobEnd, JobPageRequest, JobStore } from "../../jobs/store.ts";
import type { ActionState } from "../../network/model.ts";
import type { Engine } from "./engine.ts";
import { limitOf } from "./limit.ts";
import { placeholdersOf } from "./placeholders.ts";
import { jobs, networkActions } from "./tables.ts";

export function createJobStore(engine: Engine): JobStore {
  const { orm, writer, reader } = engine;
  const rows = createJobRows(engine);
  const byUser = and(eq(jobs.id, sql.placeholder("id")), eq(jobs.userId, sql.placeholder("userId")));
  const byIdAndUser = orm.select().from(jobs).where(byUser).prepare();

  const actionOf = orm
    .select({ state: networkActions.state })
    .from(networkActions)
    .where(eq(networkActions.jobId, sql.placeholder("id")))
    .prepare();
  const actionState = (jobId: string): ActionState | undefined => actionOf.get({ id: jobId })?.state;
  const twins = alias(networkActions, "twins");
  const openTwin = orm
    .select({ jobId: twins.jobId })
    .from(networkActions)
    .innerJoin(
      twins,
      and(
        eq(twins.accountId, networkActions.accountId),
        eq(twins.profileKey, networkActions.profileKey),
        eq(twins.actionType, networkActions.actionType),
        sql`${twins.state} IN ('scheduled', 'sending', 'awaiting')`,
      ),
    )
    .where(eq(networkActions.jobId, sql.placeholder("id")))
    .prepare();
  const hasOpenTwin = (jobId: string): boolean => openTwin.all({ id: jobId }).some((twin) => twin.jobId !== jobId);
  const ofUser = (userId: string, id: string): Job | null => byIdAndUser.get({ userId, id }) ?? null;

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
    return found.map(({ id }) => ofUser(userId, id)).filter((job) => job !== null);
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

  async function nextDueAt(types: Job["type"][]): Promise<number | null> {
    const pending = orm
      .select({ at: min(jobs.runAt) })
      .from(jobs)
      .where(and(eq(jobs.status, "pending"), inArray(jobs.type, types)))
      .get();
    const leased = orm
      .select({ at: min(jobs.leaseUntil) })
      .from(jobs)
      .where(and(eq(jobs.status, "running"), sql`${jobs.leaseUntil} IS NOT NULL`, inArray(jobs.type, types)))
      .get();
    const moments = [pending?.at, leased?.at].filter((at) => typeof at === "number");
    return moments.length === 0 ? null : Math.min(...moments);
  }

  function cancel(userId: string, id: string, at: number): ClientChange {
    const job = ofUser(userId, id);
    if (job === null) return { kind: "absent" };
    const hasEnded = job.status === "completed" || job.status === "failed";
    if (hasEnded || actionState(id) === "sending") return { kind: "refused", job };
    orm.update(networkActions).set({ state: "cancelled", updatedAt: at }).where(eq(networkActions.jobId, id)).run();
    const metadata = { ...job.metadata, cancelled: true };
    return {
      kind: "changed",
      job: rows.write(job, {
        status: "failed",
        message: "Cancelled",
        metadata,
        leaseUntil: null,
        completedAt: at,
        updatedAt: at,
      }),
    };
  }

  function retry(userId: string, id: string, at: number): ClientChange {
    const job = ofUser(userId, id);
    if (job === null) return { kind: "absent" };
    const isBarred = actionState(id) === "unknown" || hasOpenTwin(id);
    if (job.status !== "failed" || isBarred) return { kind: "refused", job };
    const { cancelled: _cancelled, ...metadata } = job.metadata;
    orm.update(networkActions).set({ state: "scheduled", updatedAt: at }).where(eq(networkActions.jobId, id)).run();
    const again = { status: "pending", message: "Waiting to run again", runAt: at, leaseUntil: null } as const;
    return {
      kind: "changed",
      job: rows.write(job, { ...again, metadata, failures: 0, completedAt: null, updatedAt: at }),
    };
  }

  function editMessage(id: string, message: string, at: number): Job | null {
    const job = rows.get(id);
    return job === null ? null : rows.write(job, { message, updatedAt: at });
  }

  return {
    insert: (job) => writer.write(() => rows.insert(job)),
    get: async (userId, id) => ofUser(userId, id),
    page,
    countByStatus,
    claim: (request) => writer.write(() => rows.claim(request)),
    renew: (claims, leaseUntil) =>
      writer.write(() =>
        claims.filter((claim) => !rows.writeClaimed(claim, () => ({ leaseUntil }))).map(({ id }) => id),
      ),
    end: (claim, end) => writer.write(() => rows.end(claim, end)),
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

type JobChange = Partial<typeof jobs.$inferInsert>;

/** Single jobs inside a write unit; also for features whose own rows change together with their job. */
export type JobRows = ReturnType<typeof createJobRows>;

export function createJobRows({ orm }: Engine) {
  const at = sql.placeholder;
  const byId = orm
    .select()
    .from(jobs)
    .where(eq(jobs.id, at("id")))
    .prepare();
  const insertJob = orm.insert(jobs).values(placeholdersOf(jobs)).prepare();
  const types = sql`(SELECT value FROM json_each(${at("types")}))`;
  const due = orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.status, "pending"), lte(jobs.runAt, at("now")), sql`${jobs.type} IN ${types}`))
    .orderBy(asc(jobs.runAt), asc(jobs.id))
    .limit(limitOf("limit"))
    .prepare();
  const abandoned = orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.status, "running"), lte(jobs.leaseUntil, at("now")), sql`${jobs.type} IN ${types}`))
    .orderBy(asc(jobs.leaseUntil))
    .limit(limitOf("limit"))
    .prepare();
  const lease = orm
    .update(jobs)
    .set({
      status: "running",
      attempt: sql`${jobs.attempt} + 1`,
      failures: sql`${jobs.failures} + ${at("failures")}`,
      leaseUntil: sql`${at("leaseUntil")}`,
      updatedAt: sql`${at("now")}`,
    })
    .where(eq(jobs.id, at("id")))
    .prepare();

  const endAction = orm
    .update(networkActions)
    .set({
      state: sql`CASE ${networkActions.state} WHEN 'sending' THEN 'unknown' ELSE 'failed' END`,
      updatedAt: sql`${at("at")}`,
    })
    .where(and(eq(networkActions.jobId, at("id")), sql`${networkActions.state} IN ('scheduled', 'sending')`))
    .prepare();

  const get = (id: string): Job | null => byId.get({ id }) ?? null;

  function write(job: Job, change: JobChange): Job {
    orm.update(jobs).set(change).where(eq(jobs.id, job.id)).run();
    return { ...job, ...change };
  }

  /** Writes if the claim still holds; false, and nothing, when it is void. */
  function writeClaimed(claim: JobClaim, change: (job: Job) => JobChange): boolean {
    const job = get(claim.id);
    if (job === null || !isHeld(job, claim)) return false;
    write(job, change(job));
    return true;
  }

  function claim({ types: wanted, limit, now, leaseUntil }: ClaimRequest): Job[] {
    const request = { types: JSON.stringify(wanted), now };
    const lost = abandoned.all({ ...request, limit });
    const claimed = (job: Job, failures: number): Job => {
      lease.run({ id: job.id, leaseUntil, now, failures });
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
    const waiting = due.all({ ...request, limit: limit - lost.length });
    return [...lost.map((job) => claimed(job, 1)), ...waiting.map((job) => claimed(job, 0))];
  }

  return {
    get,
    insert: (job: Job): void => void insertJob.run(job),
    write,
    writeClaimed,
    claim,
    end: (claimed: JobClaim, end: JobEnd) => {
      const isOurs = writeClaimed(claimed, (job) => endingOf(job, end));
      if (isOurs && (end.kind === "completed" || end.kind === "failed")) endAction.run({ id: claimed.id, at: end.at });
      return isOurs;
    },
  };
}

/** Whether the claim still holds. A parked job is in nobody's hands. */
export function isHeld(job: Job, { attempt }: Pick<JobClaim, "attempt">): boolean {
  return job.status === "running" && job.attempt === attempt && job.leaseUntil !== null;
}

function endingOf(job: Job, end: JobEnd): JobChange {
  const metadata: JobMetadata = { ...job.metadata, ...end.metadata };
  const change = { message: end.message, metadata, leaseUntil: null, updatedAt: end.at };
  switch (end.kind) {
    case "completed":
      return { ...change, status: "completed", progress: 100, completedAt: end.at };
    case "failed":
      return { ...change, status: "failed", completedAt: end.at };
    case "parked":
      return change;
    case "again":
      return { ...change, status: "pending", runAt: end.runAt, failures: job.failures + (end.countsAsAttempt ? 1 : 0) };
  }
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
