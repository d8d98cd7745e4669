import { and, desc, eq, gte, lte, sql, type SQL } from "drizzle-orm";
import { jobStatuses, type Job, type JobFilter, type JobStatus } from "../../../platform/jobs/model.ts";
import type { JobCount, JobPageRequest, JobStore } from "../../../platform/jobs/store.ts";
import type { Engine } from "./engine.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type JobLists = Pick<JobStore, "page" | "countByStatus" | "countByTime" | "countByExecution" | "countAll" | "dueTimes">;

/** `shown` returns a job as clients see it. */
export function createJobLists(orm: Engine["orm"], shown: (job: Job) => Promise<Job>): JobLists {
  async function page({ workspaceId, filter, limit, offset, after }: JobPageRequest): Promise<Job[]> {
    const rows = await orm
      .select()
      .from(jobs)
      .where(
        and(
          filtered(workspaceId, filter),
          after === null ? undefined : sql`(${jobs.createdAt}, ${jobs.id}) < (${after.createdAt}, ${after.id})`,
        ),
      )
      .orderBy(desc(jobs.createdAt), desc(jobs.id))
      .limit(limit)
      .offset(offset);
    return Promise.all(rows.map(shown));
  }

  async function counted(where: SQL | undefined): Promise<Record<JobStatus, number>> {
    const rows = await orm
      .select({ status: jobs.status, n: sql<number>`count(*)` })
      .from(jobs)
      .where(where)
      .groupBy(jobs.status);
    const numbers = new Map(rows.map(({ status, n }) => [status, n]));
    return Object.fromEntries(jobStatuses.map((status) => [status, numbers.get(status) ?? 0])) as Record<
      JobStatus,
      number
    >;
  }

  async function countByTime(workspaceId: WorkspaceId, from: number, bucketMs: number): Promise<JobCount[]> {
    const at = sql<number>`${jobs.createdAt} / ${bucketMs}::bigint * ${bucketMs}::bigint`.as("at");
    return orm
      .select({ at, status: jobs.status, jobs: sql<number>`count(*)` })
      .from(jobs)
      .where(filtered(workspaceId, { createdFrom: from }))
      .groupBy(sql`at`, jobs.status)
      .orderBy(sql`at`);
  }

  async function countByExecution(workspaceId: WorkspaceId, from: number, bucketMs: number): Promise<JobCount[]> {
    const isRunning = sql`${jobs.status} = 'running' AND ${jobs.leaseUntil} IS NOT NULL`;
    const time = sql`coalesce(${jobs.completedAt}, CASE WHEN ${isRunning} THEN ${jobs.updatedAt} ELSE ${jobs.runAt} END)`;
    const status = sql<JobStatus>`CASE WHEN ${jobs.status} = 'running' AND NOT (${isRunning}) THEN 'pending' ELSE ${jobs.status} END`;
    return orm
      .select({
        at: sql<number>`${time} / ${bucketMs}::bigint * ${bucketMs}::bigint`.as("at"),
        status: status.as("shown"),
        jobs: sql<number>`count(*)`,
      })
      .from(jobs)
      .where(filtered(workspaceId, { createdFrom: from }))
      .groupBy(sql`at`, sql`shown`)
      .orderBy(sql`at`);
  }

  async function dueTimes(types: readonly Job["type"][]): Promise<Map<Job["type"], number>> {
    const isOfType = sql`${jobs.type} = wanted.type`;
    const rows = await orm.execute<{ type: Job["type"]; at: number }>(sql`
      SELECT wanted.type, min(due.at) AS at FROM json_array_elements_text(${JSON.stringify(types)}::json) AS wanted (type)
      CROSS JOIN LATERAL (
        SELECT min(${jobs.runAt}) AS at FROM ${jobs} WHERE ${isOfType} AND ${jobs.status} = 'pending'
        UNION ALL
        SELECT min(${jobs.leaseUntil}) FROM ${jobs}
        WHERE ${isOfType} AND ${jobs.status} = 'running' AND ${jobs.leaseUntil} IS NOT NULL
      ) AS due
      WHERE due.at IS NOT NULL GROUP BY wanted.type`);
    return new Map(rows.map(({ type, at }) => [type, at]));
  }

  return {
    page,
    countByStatus: (workspaceId, filter) => counted(filtered(workspaceId, filter)),
    countByTime,
    countByExecution,
    countAll: () => counted(undefined),
    dueTimes,
  };
}

function filtered(workspaceId: WorkspaceId, { status, type, createdFrom, createdTo }: JobFilter): SQL | undefined {
  return and(
    eq(jobs.workspaceId, workspaceId),
    status && eq(jobs.status, status),
    type && eq(jobs.type, type),
    createdFrom === undefined ? undefined : gte(jobs.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(jobs.createdAt, createdTo),
  );
}
