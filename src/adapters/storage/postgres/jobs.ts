import { asc, eq, inArray } from "drizzle-orm";
import { startEventOf } from "../../../platform/jobs/job-events.ts";
import type { Job, JobClaim, JobEnd, JobType } from "../../../platform/jobs/model.ts";
import type { ClaimRequest, ClientChange, JobStore } from "../../../platform/jobs/store.ts";
import {
  changedJob,
  claimedJob,
  decideCancel,
  decideRetry,
  editedJob,
  endedJob,
  isFinal,
  isHeld,
  isOfAction,
  isOpen,
  type ClientDecision,
  type JobChange,
} from "../../../platform/jobs/transitions.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { lockDueJobs } from "./job-claims.ts";
import { createJobLists } from "./job-lists.ts";
import { updateRows } from "./row-updates.ts";
import { jobs } from "./tables.ts";

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

/** `actions` knows the jobs of network actions, which their own store claims and ends. */
export function createJobStore({ orm, transact }: Engine, actions: ActionJobs): JobStore {
  const shown = async (job: Job): Promise<Job> => (isOfAction(job) ? actions.describe(orm, job) : job);
  /** The user whose job this node claimed last, by type: on each node, users take turns. */
  const lastServed = new Map<JobType, string>();

  async function find(id: string): Promise<Job | null> {
    const [job] = await orm.select().from(jobs).where(eq(jobs.id, id));
    return job ?? null;
  }

  async function claim(request: ClaimRequest): Promise<Job[]> {
    const { type, leaseUntil, now } = request;
    const after = lastServed.get(type) ?? "";
    const { claimed, lastInTurn } = await transact(async (connection) => {
      const { abandoned, due } = await lockDueJobs(connection, request, after);
      const leased = (job: Job, isAbandoned: boolean) => ({
        job,
        values: claimedJob(job, { isAbandoned, leaseUntil, at: now }),
      });
      const leases = [...abandoned.map((job) => leased(job, true)), ...due.map((job) => leased(job, false))];
      const updates = leases.map(({ job, values }) => ({ key: job.id, values }));
      await updateRows(connection, jobs, jobs.id, updates);
      const claimed = leases.map(({ job, values }): Job => ({ ...job, ...values }));
      return { claimed, lastInTurn: due.at(-1)?.workspaceId };
    });
    if (lastInTurn === undefined) lastServed.delete(type);
    else lastServed.set(type, lastInTurn);
    return claimed;
  }

  return {
    ...createJobLists(orm, shown),
    insert: (job, audit) =>
      transact(async (connection) => {
        await insertJob(connection, job);
        await appendAudit(connection, [audit]);
      }),
    async get(workspaceId, id) {
      const job = await find(id);
      return job?.workspaceId === workspaceId ? shown(job) : null;
    },
    claim,
    renew: (claims, leaseUntil) => transact((connection) => renew(connection, claims, leaseUntil)),
    end: (held, end) => transact((connection) => endClaim(connection, actions, held, end)),
    async cancel(workspaceId, id, at) {
      const decision = decideCancel(await find(id), workspaceId, at);
      // An action locks its account before its job, so its job is not locked here.
      if (decision.kind === "ofAction") return transact((connection) => actions.cancel(connection, decision.job, at));
      return transact((connection) => change(connection, id, (job) => decideCancel(job, workspaceId, at)));
    },
    async retry(workspaceId, id, at) {
      const decision = decideRetry(await find(id), workspaceId, at);
      if (decision.kind === "ofAction") return transact((connection) => actions.retry(connection, decision.job, at));
      return transact((connection) => change(connection, id, (job) => decideRetry(job, workspaceId, at)));
    },
    async isOpen(id, failedAfter) {
      const job = await find(id);
      return job !== null && isOpen(job, failedAfter);
    },
    async editMessage(id, message, at) {
      const edited = await transact(async (connection) => {
        const job = await lockJob(connection, id);
        return job && writeJob(connection, job, editedJob(job, message, at));
      });
      return edited && shown(edited);
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

/** `writeJob` for several jobs together. */
export async function writeJobs(
  connection: Connection,
  changes: readonly { job: Job; change: JobChange }[],
): Promise<void> {
  const changed = changes.map(({ job, change }) => ({ change, ...changedJob(job, change) }));
  const updates = changed.map(({ job: { id, editedMessage }, change }) => {
    return { key: id, values: { ...change, editedMessage: editedMessage ?? null } };
  });
  await updateRows(connection, jobs, jobs.id, updates);
  const events = changed.flatMap(({ event }) => event ?? []);
  if (events.length > 0) await appendEvents(connection, events);
}

/** Ends a job, but not its action, if it has one. Returns false and does nothing if the claim is void. */
export async function endHeldJob(connection: Connection, held: JobClaim, end: JobEnd): Promise<boolean> {
  const job = await lockJob(connection, held.id);
  if (job === null || !isHeld(job, held)) return false;
  await writeJob(connection, job, endedJob(job, end));
  return true;
}

async function renew(connection: Connection, claims: readonly JobClaim[], leaseUntil: number): Promise<string[]> {
  const ids = claims.map(({ id }) => id);
  const rows = await connection.select().from(jobs).where(inArray(jobs.id, ids)).orderBy(asc(jobs.id)).for("update");
  const found = new Map(rows.map((job) => [job.id, job]));
  const isValid = (claim: JobClaim): boolean => {
    const job = found.get(claim.id);
    return job !== undefined && isHeld(job, claim);
  };
  const held = claims.filter(isValid).map(({ id }) => id);
  await connection.update(jobs).set({ leaseUntil }).where(inArray(jobs.id, held));
  return claims.filter((claim) => !isValid(claim)).map(({ id }) => id);
}

async function endClaim(connection: Connection, actions: ActionJobs, held: JobClaim, end: JobEnd): Promise<boolean> {
  await actions.lock(connection, held.id);
  if (!(await endHeldJob(connection, held, end))) return false;
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
