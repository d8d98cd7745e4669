import { and, asc, count, desc, eq, gte, inArray, lt, lte, min, sql } from "drizzle-orm";
import { jobStatuses, type Job, type JobFilter, type JobMetadata, type JobStatus } from "../../jobs/model.ts";
import type { ClaimRequest, ClientChange, JobClaim, JobEnd, JobPageRequest, JobStore } from "../../jobs/store.ts";
import type { ActionState } from "../../network/model.ts";
import type { Engine } from "./engine.ts";
import { placeholdersOf } from "./placeholders.ts";
import { jobs, networkActions } from "./tables.ts";

export function createJobStore(engine: Engine): JobStore {
  const { orm, writer, reader } = engine;
  const rows = createJobRows(engine);
  const byUser = and(eq(jobs.id, sql.placeholder("id")), eq(jobs.userId, sql.placeholder("userId")));
  const byIdAndUser = orm.select().from(jobs).where(byUser).prepare();

  const actionOf = orm.select({ state: networkActions.state }).from(networkActions).where(eq(networkActions.jobId, sql.placeholder("id"))).prepare();
  const actionState = (jobId: string): ActionState | undefined => actionOf.get({ id: jobId })?.state;
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
    const query = orm.select({ status: jobs.status, n: count().as("n") }).from(jobs).where(where).groupBy(jobs.status);
    const found = await reader.all<{ status: JobStatus; n: number }>(query.toSQL());
    const numbers = new Map(found.map(({ status, n }) => [status, n]));
    return Object.fromEntries(jobStatuses.map((status) => [status, numbers.get(status) ?? 0])) as Record<JobStatus, number>;
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
    return { kind: "changed", job: rows.write(job, { status: "failed", message: "Cancelled", metadata, leaseUntil: null, completedAt: at, updatedAt: at }) };
  }

  function retry(userId: string, id: string, at: number): ClientChange {
    const job = ofUser(userId, id);
    if (job === null) return { kind: "absent" };
    if (job.status !== "failed" || actionState(id) === "unknown") return { kind: "refused", job };
    const { cancelled: _cancelled, ...metadata } = job.metadata;
    orm.update(networkActions).set({ state: "scheduled", updatedAt: at }).where(eq(networkActions.jobId, id)).run();
    const again = { status: "pending", message: "Waiting to run again", runAt: at, attempt: job.attempt, leaseUntil: null, completedAt: null, updatedAt: at } as const;
    return { kind: "changed", job: rows.write(job, { ...again, metadata, maxAttempts: job.attempt + (job.maxAttempts || 1) }) };
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
      writer.write(() => claims.filter((claim) => !rows.writeClaimed(claim, () => ({ leaseUntil }))).map(({ id }) => id)),
    end: (claim, end) => writer.write(() => rows.end(claim, end)),
    nextDueAt,
    cancel: (userId, id, at) => writer.write(() => cancel(userId, id, at)),
    retry: (userId, id, at) => writer.write(() => retry(userId, id, at)),
    isOpen: async (id) => {
      const job = rows.get(id);
      return job !== null && job.status !== "completed";
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
  const byId = orm.select().from(jobs).where(eq(jobs.id, at("id"))).prepare();
  const insertJob = orm.insert(jobs).values(placeholdersOf(jobs)).prepare();
  const types = sql`(SELECT value FROM json_each(${at("types")}))`;
  const due = orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.status, "pending"), lte(jobs.runAt, at("now")), sql`${jobs.type} IN ${types}`))
    .orderBy(asc(jobs.runAt), asc(jobs.id))
    .limit(at("limit"))
    .prepare();
  const abandoned = orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.status, "running"), lt(jobs.leaseUntil, at("now")), sql`${jobs.type} IN ${types}`))
    .orderBy(asc(jobs.leaseUntil))
    .limit(at("limit"))
    .prepare();
  const lease = orm
    .update(jobs)
    .set({ status: "running", attempt: sql`${jobs.attempt} + 1`, leaseUntil: sql`${at("leaseUntil")}`, updatedAt: sql`${at("now")}` })
    .where(eq(jobs.id, at("id")))
    .prepare();

  const get = (id: string): Job | null => byId.get({ id }) ?? null;

  function write(job: Job, change: JobChange): Job {
    orm.update(jobs).set(change).where(eq(jobs.id, job.id)).run();
    return { ...job, ...change };
  }

  /** Writes if the claim still holds; false, and nothing, when it is void. */
  function writeClaimed(claim: JobClaim, change: (job: Job) => JobChange): boolean {
    const job = get(claim.id);
    if (job === null || job.status !== "running" || job.attempt !== claim.attempt) return false;
    write(job, change(job));
    return true;
  }

  function claim({ types: wanted, limit, now, leaseUntil }: ClaimRequest): Job[] {
    const request = { types: JSON.stringify(wanted), now };
    const lost = abandoned.all({ ...request, limit });
    const found = [...lost, ...due.all({ ...request, limit: limit - lost.length })];
    for (const job of found) lease.run({ id: job.id, leaseUntil, now });
    return found.map((job) => ({ ...job, status: "running", attempt: job.attempt + 1, leaseUntil, updatedAt: now }));
  }

  return {
    get,
    insert: (job: Job): void => void insertJob.run(job),
    write,
    writeClaimed,
    claim,
    end: (claimed: JobClaim, end: JobEnd) => writeClaimed(claimed, (job) => endingOf(job, end)),
  };
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
      // The attempt number is a fence and never falls; what does not count as an attempt raises the limit instead.
      return { ...change, status: "pending", runAt: end.runAt, maxAttempts: job.maxAttempts + (end.countsAsAttempt ? 0 : 1) };
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
