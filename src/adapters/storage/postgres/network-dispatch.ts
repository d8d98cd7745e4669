import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm";
import type { JobClaim } from "../../../platform/jobs/model.ts";
import { isHeld } from "../../../platform/jobs/transitions.ts";
import { decideDeferral, decideDelegation, decideRenewal } from "../../../features/network/decisions/attempts.ts";
import type { Decision, NetworkChange } from "../../../features/network/decisions/changes.ts";
import {
  decideDue,
  decideForWorker,
  decideSend,
  mostWorkerCandidates,
  type ClaimedTarget,
} from "../../../features/network/decisions/due.ts";
import {
  actionOf,
  type NetworkFacts,
  type StoredAccount,
  type Target,
} from "../../../features/network/decisions/facts.ts";
import type { DueAction } from "../../../features/network/queue-model.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import { endActions, type Ended } from "./action-ends.ts";
import type { Connection, Engine } from "./engine.ts";
import { gathered } from "./gathered.ts";
import { lockAccounts } from "./network-accounts.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts, loadTarget, loadTargets } from "./network-facts.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import { Outdated, transactAnew } from "./outdated.ts";
import { lockSuppressions } from "./suppression-rows.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type DispatchStore = Pick<
  NetworkStore,
  "claimDue" | "markSending" | "endAction" | "defer" | "delegate" | "claimForWorker" | "renewLease"
>;
type ClaimRequest = Parameters<NetworkStore["claimDue"]>[0];
type WorkerClaim = Parameters<NetworkStore["claimForWorker"]>[0];
type Candidate = { jobId: string; workspaceId: WorkspaceId; account: number };

/** Actions that end in one transaction, which must not hold their accounts for long. */
const mostEnds = 64;
/** Looked at for each action that is claimed: other nodes may be deciding about the accounts of the first ones. */
const candidatesPerAction = 4;

/** Claims of due actions, and the outcomes of attempts. */
export function createDispatchStore(engine: Engine): DispatchStore {
  const { transact } = engine;

  /**
   * Locks what a decision depends on, in the order in which all transactions do: do-not-contact lists, accounts, jobs. An
   * account that another node decides about is left to that node.
   */
  async function claimDue(connection: Connection, { now, limit, leaseUntil }: ClaimRequest) {
    const candidates = await candidatesAt(connection, now, limit * candidatesPerAction);
    const userIds = new Set(candidates.map(({ workspaceId }) => workspaceId));
    await lockSuppressions(connection, [...userIds], "shared");
    const locked = await lockDue(connection, candidates, limit);
    // An account that a merge has moved meanwhile belongs to a workspace whose list is not locked.
    const targets = locked.filter(({ job }) => isDueAt(job, now) && userIds.has(job.workspaceId));
    const facts = new LoadedFacts(connection, engine);
    await facts.preload(targets, now);
    const { outcome, changes } = await facts.decide(() => decideDue(targets, facts, now, leaseUntil));
    await writeChanges(connection, changes);
    const { claimed, needsPlan } = outcome;
    // If other transactions hold most of them, the next claim is worth more when those are done.
    return { due: claimed.map(dueActionOf), more: targets.length > limit / 2, needsPlan };
  }

  async function claimForWorker(
    connection: Connection,
    { workspaceId, accountId, now, leaseUntil }: WorkerClaim,
  ): Promise<Awaited<ReturnType<NetworkStore["claimForWorker"]>>> {
    const workers = await connection
      .select({ seq: networkAccounts.seq })
      .from(networkAccounts)
      .where(
        and(
          eq(networkAccounts.workspaceId, workspaceId),
          eq(networkAccounts.connector, "worker"),
          accountId === null ? undefined : eq(networkAccounts.id, accountId),
        ),
      );
    await lockSuppressions(connection, [workspaceId], "shared");
    const accounts = await lockAccounts(
      connection,
      workers.map(({ seq }) => seq),
    );
    const targets: Target[] = [];
    for (const record of accounts) {
      const jobIds = await workerCandidates(connection, record.seq);
      targets.push(...(await loadTargets(connection, jobIds, [record])));
    }
    const facts = new LoadedFacts(connection, engine);
    await facts.preload(targets, now);
    const { outcome, changes } = await facts.decide(() => decideForWorker(targets, facts, now, leaseUntil));
    await writeChanges(connection, changes);
    return outcome.claimed === null ? outcome : { claimed: dueActionOf({ ...outcome.claimed, task: "send" }) };
  }

  /** Writes what is decided about the target of a claim. False: void claim, nothing was written. */
  function decideClaimed(
    { id, attempt }: JobClaim,
    decide: (target: Target, facts: NetworkFacts) => Decision<boolean>,
    { asksObjections = false } = {},
  ): Promise<boolean> {
    return transactAnew(engine, async (connection) => {
      const locked = asksObjections ? await lockSuppressionsOf(connection, id) : null;
      const target = await loadTarget(connection, id);
      if (target === null || !isHeld(target.job, { attempt })) return false;
      if (locked !== null && locked !== target.job.workspaceId) throw new Outdated("The action was moved by a merge");
      const facts = new LoadedFacts(connection, engine);
      const { outcome, changes } = await facts.decide(() => decide(target, facts));
      await writeChanges(connection, changes);
      return outcome;
    });
  }

  const endTogether = gathered(mostEnds, (ended: readonly Ended[]) => endActions(engine, ended));

  return {
    claimDue: (request) => transact((connection) => claimDue(connection, request)),
    markSending: (claim, now) =>
      decideClaimed(claim, (target, facts) => decideSend(target, facts, now), { asksObjections: true }),
    endAction: (claim, end) => endTogether({ claim, end }),
    defer: (claim, deferral) => decideClaimed(claim, (target, facts) => done(decideDeferral(target, deferral, facts))),
    delegate: (claim, delegation) => decideClaimed(claim, (target) => done(decideDelegation(target, delegation))),
    claimForWorker: (request) => transact((connection) => claimForWorker(connection, request)),
    renewLease: (workspaceId, claim, leaseUntil) =>
      decideClaimed(claim, (target) => decideRenewal(target, workspaceId, leaseUntil)),
  };
}

const done = (changes: readonly NetworkChange[]): Decision<boolean> => ({ outcome: true, changes });

function dueActionOf({ task, job, row, record }: ClaimedTarget): DueAction {
  return { task, job, action: actionOf(row, record.account.id), account: record.account };
}

/** Those whose claim ended without a report, then those whose time has come, the longest due first. */
async function candidatesAt(connection: Connection, now: number, limit: number): Promise<Candidate[]> {
  const { jobId, workspaceId, account } = networkActions;
  const select = () =>
    connection
      .select({ jobId, workspaceId, account })
      .from(jobs)
      .innerJoin(networkActions, eq(networkActions.jobId, jobs.id));
  const isAction = sql`${jobs.type} = 'linkedin_action'`;
  const abandoned = await select()
    .where(and(isAction, sql`${jobs.status} = 'running'`, isNotNull(jobs.leaseUntil), lte(jobs.leaseUntil, now)))
    .orderBy(asc(jobs.leaseUntil))
    .limit(limit);
  const pending = await select()
    .where(and(isAction, sql`${jobs.status} = 'pending'`, lte(jobs.runAt, now)))
    .orderBy(asc(jobs.runAt), asc(jobs.id))
    .limit(limit - abandoned.length);
  return [...abandoned, ...pending];
}

/** As `candidatesAt` has it; another node may have claimed the job before it was locked. */
function isDueAt({ status, runAt, leaseUntil }: Target["job"], now: number): boolean {
  return status === "pending" ? runAt <= now : status === "running" && leaseUntil !== null && leaseUntil <= now;
}

/**
 * Locks candidates and their accounts, without waiting for other transactions. If those hold so many that less than half of
 * `limit` is locked, it goes on to later candidates.
 */
async function lockDue(connection: Connection, candidates: readonly Candidate[], limit: number): Promise<Target[]> {
  const tried = new Set<number>();
  const accounts: StoredAccount[] = [];
  const targets: Target[] = [];
  let from = 0;
  while (from < candidates.length && targets.length < limit / 2) {
    const some = candidates.slice(from, from + limit - targets.length);
    from += some.length;
    const untried = new Set(some.map(({ account }) => account)).difference(tried);
    for (const account of untried) tried.add(account);
    accounts.push(...(await lockAccounts(connection, [...untried], { skipLocked: true })));
    const jobIds = some.map(({ jobId }) => jobId);
    targets.push(...(await loadTargets(connection, jobIds, accounts, { skipLocked: true })));
  }
  return targets;
}

async function workerCandidates(connection: Connection, account: number): Promise<string[]> {
  const rows = await connection
    .select({ jobId: networkActions.jobId })
    .from(networkActions)
    .where(
      and(
        eq(networkActions.account, account),
        sql`${networkActions.state} = 'awaiting'`,
        sql`${networkActions.pendingReason} = 'awaitingWorker'`,
      ),
    )
    .orderBy(asc(networkActions.updatedAt), asc(networkActions.seq))
    .limit(mostWorkerCandidates);
  return rows.map(({ jobId }) => jobId);
}

/** Returns the workspace whose list is locked. */
async function lockSuppressionsOf(connection: Connection, jobId: string): Promise<WorkspaceId | null> {
  const [row] = await connection
    .select({ workspaceId: networkActions.workspaceId })
    .from(networkActions)
    .where(eq(networkActions.jobId, jobId));
  if (row === undefined) return null;
  await lockSuppressions(connection, [row.workspaceId], "shared");
  return row.workspaceId;
}
