import { and, count, desc, eq, gte, isNotNull, lte, min, sql } from "drizzle-orm";
import { pause } from "../../../lib/concurrency/pause.ts";
import { jobStatuses, type Job, type JobFilter, type JobStatus } from "../../../platform/jobs/model.ts";
import type { ClientChange, JobCount, JobPageRequest, JobStore } from "../../../platform/jobs/store.ts";
import {
  decideCancel,
  decideRetry,
  editedJob,
  isFinal,
  isOfAction,
  isOpen,
  type JobChange,
} from "../../../platform/jobs/transitions.ts";
import type { Engine } from "./engine.ts";
import type { NetworkRows } from "./network.ts";
import { valueOf } from "./parameter.ts";
import { lazy } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** `network` decides about the jobs of its actions. */
export function createJobStore(engine: Engine, { audits, jobRows: rows }: CommonRows, network: NetworkRows): JobStore {
  const { orm, writer, reader } = engine;

  const ofUser = (workspaceId: WorkspaceId, id: string): Job | null => {
    const job = rows.get(id);
    return job?.workspaceId === workspaceId ? job : null;
  };
  /** The time of an action may change with every plan, so it is read from the action, not from the job. */
  const shown = (job: Job | null): Job | null => (job !== null && isOfAction(job) ? network.jobs.describe(job) : job);

  async function page({ workspaceId, filter, limit, offset, after }: JobPageRequest): Promise<Job[]> {
    const place = after && sql`(${jobs.createdAt}, ${jobs.id}) < (${after.createdAt}, ${after.id})`;
    const found = await reader.all<{ id: string }>(
      orm
        .select({ id: jobs.id })
        .from(jobs)
        .where(and(filtered(workspaceId, filter), place ?? undefined))
        .orderBy(desc(jobs.createdAt), desc(jobs.id))
        .limit(limit)
        .offset(offset)
        .toSQL(),
    );
    const page: Job[] = [];
    for (const [index, { id }] of found.entries()) {
      if (index > 0 && index % sliceRows === 0) await pause();
      const job = shown(ofUser(workspaceId, id));
      if (job !== null) page.push(job);
    }
    return page;
  }

  async function countByStatus(workspaceId: WorkspaceId, filter: JobFilter): Promise<Record<JobStatus, number>> {
    return counted(filtered(workspaceId, filter));
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

  async function countByTime(workspaceId: WorkspaceId, from: number, bucketMs: number): Promise<JobCount[]> {
    const at = sql<number>`${jobs.createdAt} / ${bucketMs} * ${bucketMs}`;
    const query = orm
      .select({ at: at.as("at"), status: jobs.status, jobs: count().as("jobs") })
      .from(jobs)
      .where(filtered(workspaceId, { createdFrom: from }))
      .groupBy(sql`at`, jobs.status)
      .orderBy(sql`at`);
    return reader.all<JobCount>(query.toSQL());
  }

  async function countByExecution(workspaceId: WorkspaceId, from: number, bucketMs: number): Promise<JobCount[]> {
    const isRunning = sql`${jobs.status} = 'running' AND ${jobs.leaseUntil} IS NOT NULL`;
    const time = sql`coalesce(${jobs.completedAt}, CASE WHEN ${isRunning} THEN ${jobs.updatedAt} ELSE ${jobs.runAt} END)`;
    const status = sql<JobStatus>`CASE WHEN ${jobs.status} = 'running' AND NOT (${isRunning}) THEN 'pending' ELSE ${jobs.status} END`;
    const query = orm
      .select({
        at: sql<number>`${time} / ${bucketMs} * ${bucketMs}`.as("at"),
        status: status.as("shown"),
        jobs: count().as("jobs"),
      })
      .from(jobs)
      .where(filtered(workspaceId, { createdFrom: from }))
      .groupBy(sql`at`, sql`shown`)
      .orderBy(sql`at`);
    const rows = await reader.all<{ at: number; shown: JobStatus; jobs: number }>(query.toSQL());
    return rows.map(({ shown, ...row }) => ({ ...row, status: shown }));
  }

  const isOfType = sql`${jobs.type} = ${valueOf("type")}`;
  const nextPending = lazy(() =>
    orm
      .select({ at: min(jobs.runAt) })
      .from(jobs)
      .where(and(sql`${jobs.status} = 'pending'`, isOfType))
      .prepare(),
  );
  const nextLease = lazy(() =>
    orm
      .select({ at: min(jobs.leaseUntil) })
      .from(jobs)
      .where(and(sql`${jobs.status} = 'running'`, isNotNull(jobs.leaseUntil), isOfType))
      .prepare(),
  );

  async function dueTimes(types: readonly Job["type"][]): Promise<Map<Job["type"], number>> {
    const due = new Map<Job["type"], number>();
    for (const type of types) {
      const at = Math.min(nextPending().get({ type })?.at ?? Infinity, nextLease().get({ type })?.at ?? Infinity);
      if (at < Infinity) due.set(type, at);
    }
    return due;
  }

  const write = ({ job, change }: { job: Job; change: JobChange }): ClientChange => ({
    kind: "changed",
    job: rows.write(job, change),
  });

  function cancel(workspaceId: WorkspaceId, id: string, at: number): ClientChange {
    const decision = decideCancel(rows.get(id), workspaceId, at);
    if (decision.kind === "ofAction") return network.jobs.cancel(decision.job, at);
    return decision.kind === "change" ? write(decision) : decision;
  }

  function retry(workspaceId: WorkspaceId, id: string, at: number): ClientChange {
    const decision = decideRetry(rows.get(id), workspaceId, at);
    if (decision.kind === "ofAction") return network.jobs.retry(decision.job, at);
    return decision.kind === "change" ? write(decision) : decision;
  }

  function editMessage(id: string, message: string, at: number): Job | null {
    const job = rows.get(id);
    return shown(job && rows.write(job, editedJob(job, message, at)));
  }

  return {
    insert: (job, audit) =>
      writer.write(() => {
        rows.insert(job);
        audits.append(audit);
      }),
    get: async (workspaceId, id) => shown(ofUser(workspaceId, id)),
    page,
    countByStatus,
    countByTime,
    countByExecution,
    claim: (request) => writer.write(() => rows.claim(request)),
    renew: (claims, leaseUntil) =>
      writer.write(() =>
        claims.filter((claim) => !rows.writeClaimed(claim, () => ({ leaseUntil }))).map(({ id }) => id),
      ),
    end: (claim, end) =>
      writer.write(() => {
        const isOurs = rows.end(claim, end);
        // The network feature ends actions. If only the job is ended, after too many interruptions, the runner gave up on it.
        if (isOurs && isFinal(end)) network.jobs.gaveUp(claim.id, end.message, end.at);
        return isOurs;
      }),
    dueTimes,
    cancel: (workspaceId, id, at) => writer.write(() => cancel(workspaceId, id, at)),
    retry: (workspaceId, id, at) => writer.write(() => retry(workspaceId, id, at)),
    isOpen: async (id, failedAfter) => {
      const job = rows.get(id);
      return job !== null && isOpen(job, failedAfter);
    },
    editMessage: (id, message, at) => writer.write(() => editMessage(id, message, at)),
    countAll: () => counted(undefined),
  };
}

/** Number of jobs per read, which takes one or two milliseconds. */
const sliceRows = 50;

function filtered(workspaceId: WorkspaceId, { status, type, createdFrom, createdTo }: JobFilter) {
  return and(
    eq(jobs.workspaceId, workspaceId),
    status && eq(jobs.status, status),
    type && eq(jobs.type, type),
    createdFrom === undefined ? undefined : gte(jobs.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(jobs.createdAt, createdTo),
  );
}
