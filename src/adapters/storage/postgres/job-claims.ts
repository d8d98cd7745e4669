import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import type { Job, JobType } from "../../../platform/jobs/model.ts";
import type { ClaimRequest } from "../../../platform/jobs/store.ts";
import type { Connection } from "./engine.ts";
import { jobs } from "./tables.ts";

/** Other nodes claim at the same time, so more jobs than wanted are considered: those that they hold are skipped. */
const candidatesPerJob = 4;

type DueJobs = {
  /** Their leases have expired. */
  abandoned: Job[];
  due: Job[];
};

/**
 * Locks jobs that can be claimed until the transaction ends. Users take turns, starting behind the user `after`. Jobs that
 * another transaction has locked are left to it.
 */
export async function lockDueJobs(connection: Connection, request: ClaimRequest, after: string): Promise<DueJobs> {
  const { type, limit, now } = request;
  const abandoned = await connection
    .select()
    .from(jobs)
    .where(and(eq(jobs.type, type), sql`${jobs.status} = 'running'`, lte(jobs.leaseUntil, now)))
    .orderBy(asc(jobs.leaseUntil))
    .limit(limit)
    .for("update", { skipLocked: true });
  const due = await lockInTurn(connection, { ...request, limit: limit - abandoned.length }, after);
  return { abandoned, due };
}

async function lockInTurn(connection: Connection, request: ClaimRequest, after: string): Promise<Job[]> {
  const { limit } = request;
  if (limit <= 0) return [];
  // The candidates are read without locks, so their status is checked again once they are locked.
  const locked = await connection.execute<{ id: string }>(sql`
    WITH RECURSIVE ${usersInTurn(request.type)}, ${candidates(request, limit * candidatesPerJob)}
    SELECT ${jobs.id} FROM candidates JOIN ${jobs} ON ${jobs.id} = candidates.id
    WHERE ${jobs.status} = 'pending'
    ORDER BY candidates.turn, candidates.user <= ${after}, candidates.user
    LIMIT ${limit} FOR UPDATE OF ${jobs} SKIP LOCKED`);
  const ids = locked.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await connection.select().from(jobs).where(inArray(jobs.id, ids));
  const found = new Map(rows.map((job) => [job.id, job]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Jumps from user to user in the index, however many jobs each of them has queued. */
function usersInTurn(type: JobType) {
  return sql`users_in_turn (id) AS (
    SELECT min(${jobs.workspaceId}) FROM ${jobs} WHERE ${isQueued(type)}
    UNION ALL
    SELECT (SELECT min(${jobs.workspaceId}) FROM ${jobs} WHERE ${isQueued(type)} AND ${jobs.workspaceId} > users_in_turn.id)
    FROM users_in_turn WHERE users_in_turn.id IS NOT NULL
  )`;
}

/** The longest due jobs of each user, numbered. */
function candidates({ type, now }: ClaimRequest, limit: number) {
  return sql`candidates AS (
    SELECT job.id, job.turn, users_in_turn.id AS user FROM users_in_turn CROSS JOIN LATERAL (
      SELECT ${jobs.id}, row_number() OVER (ORDER BY ${jobs.runAt}, ${jobs.id}) AS turn FROM ${jobs}
      WHERE ${isQueued(type)} AND ${jobs.workspaceId} = users_in_turn.id AND ${jobs.runAt} <= ${now}
      ORDER BY ${jobs.runAt}, ${jobs.id} LIMIT ${limit}
    ) AS job
  )`;
}

/** As the index has it. The network claims the jobs of actions. */
function isQueued(type: JobType) {
  return sql`${jobs.type} = ${type} AND ${jobs.type} <> 'linkedin_action' AND ${jobs.status} = 'pending'`;
}
