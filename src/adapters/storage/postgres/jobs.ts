import { and, asc, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import { startEventOf } from "../../../platform/jobs/job-events.ts";
import type { Job, JobClaim, JobEnd } from "../../../platform/jobs/model.ts";
import type { ClaimRequest, ClientChange, JobPageRequest, JobStore } from "../../../platform/jobs/store.ts";
import {
  changedJob,
  claimedJob,
  decideCancel,
  decideRetry,
  endedJob,
  isFinal,
  isHeld,
  isOfAction,
  type ClientDecision,
  type JobChange,
} from "../../../platform/jobs/transitions.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** The jobs of actions, as the store of jobs shows and changes them. */
export type ActionJobs = {
  describe(connection: Connection, job: Job): Promise<Job>;
  /** Locks the account of the job's action, if it has one, which has to happen before the job is locked. */
  lock(connection: Connection, jobId: string): Promise<void>;
  cancel(connection: Connection, job: Job, at: number): Promise<ClientChange>;
  retry(connection: Connection, job: Job, at: number): Promise<ClientChange>;
  /** The runner gave up on the job. */
  gaveUp(connection: Connection, jobId: string, message: string, at: number): Promise<void>;
};

type SliceOfJobs = Pick<JobStore, "insert" | "get" | "page" | "claim" | "end" | "cancel" | "retry">;

/** `actions` knows the jobs of network actions, which their own store claims and ends. */
export function createJobStore({ orm, transact }: Engine, actions: ActionJobs): SliceOfJobs {
  const shown = async (job: Job): Promise<Job> => (isOfAction(job) ? actions.describe(orm, job) : job);

  async function find(workspaceId: WorkspaceId, id: string): Promise<Job | null> {
    const [job] = await orm
      .select()
      .from(jobs)
      .where(and(eq(jobs.id, id), eq(jobs.workspaceId, workspaceId)));
    return job ?? null;
  }

  async function page({ workspaceId, filter, limit, offset, after }: JobPageRequest): Promise<Job[]> {
    const { status, type, createdFrom, createdTo } = filter;
    const rows = await orm
      .select()
      .from(jobs)
      .where(
        and(
          eq(jobs.workspaceId, workspaceId),
          status && eq(jobs.status, status),
          type && eq(jobs.type, type),
          createdFrom === undefined ? undefined : gte(jobs.createdAt, createdFrom),
          createdTo === undefined ? undefined : lte(jobs.createdAt, createdTo),
          after === null ? undefined : sql`(${jobs.createdAt}, ${jobs.id}) < (${after.createdAt}, ${after.id})`,
        ),
      )
      .orderBy(desc(jobs.createdAt), desc(jobs.id))
      .limit(limit)
      .offset(offset);
    return Promise.all(rows.map(shown));
  }

  return {
    insert: (job, audit) => {
      if (audit !== undefined) throw new Error("The audit log does not exist on PostgreSQL yet");
      return transact((connection) => insertJob(connection, job));
    },
    async get(workspaceId, id) {
      const job = await find(workspaceId, id);
      return job && shown(job);
    },
    page,
    claim: (request) => transact((connection) => claim(connection, request)),
    end: (held, end) => transact((connection) => endClaim(connection, actions, held, end)),
    async cancel(workspaceId, id, at) {
      const decision = decideCancel(await find(workspaceId, id), workspaceId, at);
      // An action locks its account before its job, so its job is not locked here.
      if (decision.kind === "ofAction") return transact((connection) => actions.cancel(connection, decision.job, at));
      return transact((connection) => change(connection, id, (job) => decideCancel(job, workspaceId, at)));
    },
    async retry(workspaceId, id, at) {
      const decision = decideRetry(await find(workspaceId, id), workspaceId, at);
      if (decision.kind === "ofAction") return transact((connection) => actions.retry(connection, decision.job, at));
      return transact((connection) => change(connection, id, (job) => decideRetry(job, workspaceId, at)));
    },
  };
}

export async function insertJob(connection: Connection, job: Job): Promise<void> {
  await connection.insert(jobs).values(job);
  const event = startEventOf(job);
  if (event !== null) await appendEvents(connection, [event]);
}

/** Locks the job until the transaction ends. */
export async function lockJob(connection: Connection, id: string): Promise<Job | null> {
  const [job] = await connection.select().from(jobs).where(eq(jobs.id, id)).for("update");
  return job ?? null;
}

export async function writeJob(connection: Connection, job: Job, change: JobChange): Promise<Job> {
  const { job: after, event } = changedJob(job, change);
  await connection
    .update(jobs)
    .set({ ...change, editedMessage: after.editedMessage ?? null })
    .where(eq(jobs.id, job.id));
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
  // Users take turns: the oldest job of each comes before the second of any.
  const turn = sql`row_number() OVER (PARTITION BY workspace_id ORDER BY run_at, id)`;
  const due = await connection.execute<{ id: string }>(sql`
    SELECT id FROM jobs WHERE status = 'pending' AND id IN (
      SELECT id FROM (
        SELECT id, workspace_id, ${turn} AS turn FROM jobs
        WHERE type = ${type} AND type <> 'linkedin_action' AND status = 'pending' AND run_at <= ${now}
      ) AS waiting ORDER BY turn, workspace_id LIMIT ${limit - abandoned.length}
    ) FOR UPDATE SKIP LOCKED`);
  const isAbandoned = new Set(abandoned.map(({ id }) => id));
  const ids = [...abandoned, ...due].map(({ id }) => id);
  const found = new Map(
    (await connection.select().from(jobs).where(inArray(jobs.id, ids))).map((job) => [job.id, job]),
  );
  const claimed: Job[] = [];
  for (const id of ids) {
    const job = found.get(id);
    if (job === undefined) continue;
    const lease = claimedJob(job, { isAbandoned: isAbandoned.has(id), leaseUntil, at: now });
    claimed.push(await writeJob(connection, job, lease));
  }
  return claimed;
}

async function endClaim(connection: Connection, actions: ActionJobs, held: JobClaim, end: JobEnd): Promise<boolean> {
  await actions.lock(connection, held.id);
  const job = await lockJob(connection, held.id);
  if (job === null || !isHeld(job, held)) return false;
  await writeJob(connection, job, endedJob(job, end));
  // An action is ended by its feature. Whoever ends only its job, after too many interruptions, gave it up.
  if (isFinal(end)) await actions.gaveUp(connection, held.id, end.message, end.at);
  return true;
}

async function change(
  connection: Connection,
  id: string,
  decide: (job: Job | null) => ClientDecision,
): Promise<ClientChange> {
  const decision = decide(await lockJob(connection, id));
  if (decision.kind === "ofAction") return { kind: "refused", job: decision.job };
  if (decision.kind !== "change") return decision;
  return { kind: "changed", job: await writeJob(connection, decision.job, decision.change) };
}
