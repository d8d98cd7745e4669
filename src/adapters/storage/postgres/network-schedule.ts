import { and, eq, inArray, sql } from "drizzle-orm";
import type { Decision } from "../../../features/network/decisions/changes.ts";
import { decideObjectedTasks } from "../../../features/network/decisions/due.ts";
import { actionOf, type NetworkFacts, type Target } from "../../../features/network/decisions/facts.ts";
import {
  decideApproval,
  decideCancel,
  decideDelegatedEnd,
  decideEdit,
  decideRecord,
  decideResolution,
  decideSchedule,
  type ActionDecision,
} from "../../../features/network/decisions/scheduling.ts";
import type { ActionChange, ScheduleAction, ScheduleOutcome } from "../../../features/network/queue-model.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import { doneBy } from "../../../platform/events/done-by.ts";
import type { Connection, Engine } from "./engine.ts";
import { takeLocks } from "./locks.ts";
import { lockAccount } from "./network-accounts.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts, loadTarget } from "./network-facts.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import { firstSuppressions, lockSuppressions } from "./suppression-rows.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type ScheduleStore = Pick<
  NetworkStore,
  "schedule" | "record" | "approve" | "edit" | "cancel" | "resolve" | "endDelegated" | "action" | "skipObjectedTasks"
>;

/** As many as can be compared with the do-not-contact list without holding up other requests. */
const tasksAtOnce = 200;

/** The queue of accounts, and what people do with the actions in it. */
export function createScheduleStore(engine: Engine): ScheduleStore {
  const { orm, transact } = engine;
  const { actionType } = networkActions;

  /** A decision about a new action. `writes` false: only its outcome. */
  function decideNew(
    request: ScheduleAction,
    writes: boolean,
    decision: (facts: NetworkFacts) => Decision<ScheduleOutcome>,
  ): Promise<ScheduleOutcome> {
    return transact(async (connection) => {
      const facts = await lockForSchedule(connection, engine, request);
      const { outcome, changes } = await facts.decide(decision);
      if (writes) await writeChanges(connection, changes);
      return outcome;
    });
  }

  /** With the action as it is once the decision is written. */
  function change(
    workspaceId: WorkspaceId,
    jobId: string,
    decide: (target: Target | null, facts: NetworkFacts) => Decision<ActionDecision>,
  ): Promise<ActionChange> {
    return transact(async (connection) => {
      await lockSuppressions(connection, [workspaceId], "shared");
      const [subject] = await connection
        .select({ workspaceId: networkActions.workspaceId, profileKey: networkActions.profileKey, actionType })
        .from(networkActions)
        .where(eq(networkActions.jobId, jobId));
      if (subject?.workspaceId === workspaceId) await lockInvitation(connection, subject);
      const target = await ownTarget(connection, workspaceId, jobId);
      const facts = new LoadedFacts(connection, engine);
      const { outcome, changes } = await facts.decide(() => decide(target, facts));
      await writeChanges(connection, changes);
      if (outcome.kind !== "changed" && outcome.kind !== "refused") return outcome;
      const after = await ownTarget(connection, workspaceId, jobId);
      if (after === null) return { kind: "absent" };
      return { kind: outcome.kind, action: actionOf(after.row, after.record.account.id), job: after.job };
    });
  }

  async function ownTarget(connection: Connection, workspaceId: WorkspaceId, jobId: string): Promise<Target | null> {
    const target = await loadTarget(connection, jobId);
    return target?.row.workspaceId === workspaceId ? target : null;
  }

  async function skipObjectedTasks(workspaceId: WorkspaceId, now: number): Promise<void> {
    const tasks = await orm
      .select({ jobId: networkActions.jobId, profileKey: networkActions.profileKey, leadId: networkActions.leadId })
      .from(networkActions)
      .where(isTaskOf(orm, workspaceId))
      .orderBy(networkActions.account, networkActions.jobId);
    for (let from = 0; from < tasks.length; from += tasksAtOnce) {
      const some = tasks.slice(from, from + tasksAtOnce);
      const matches = await firstSuppressions(orm, engine.phoneRegion, workspaceId, some);
      const objected = some.filter((_, n) => matches[n] !== null);
      // Nearly always there are none, which needs no locks.
      if (objected.length > 0) await skip(workspaceId, objected, now);
    }
  }

  function skip(workspaceId: WorkspaceId, tasks: readonly { jobId: string }[], now: number): Promise<void> {
    return transact(async (connection) => {
      await lockSuppressions(connection, [workspaceId], "shared");
      const facts = new LoadedFacts(connection, engine);
      for (const { jobId } of tasks) {
        const target = await loadTarget(connection, jobId);
        // Whoever did the task in the meantime has ended it.
        if (target?.row.state !== "awaiting") continue;
        await writeChanges(connection, await facts.decide(() => decideObjectedTasks([target], facts, now)));
      }
    });
  }

  return {
    schedule: (request, dryRun) => decideNew(request, !dryRun, (facts) => decideSchedule(request, facts)),
    record: (request, relation) => decideNew(request, true, (facts) => decideRecord(request, relation, facts)),
    approve: (workspaceId, jobId, at, actorId = null) =>
      change(workspaceId, jobId, (target, facts) => doneBy(actorId, decideApproval(target, facts, at))),
    edit: (workspaceId, jobId, edit, at, actorId = null) =>
      change(workspaceId, jobId, (target, facts) => doneBy(actorId, decideEdit(target, edit, facts, at))),
    cancel: (workspaceId, jobId, at, actorId = null) =>
      change(workspaceId, jobId, (target) => doneBy(actorId, decideCancel(target, at))),
    resolve: (workspaceId, jobId, end) =>
      change(workspaceId, jobId, (target, facts) => decideResolution(target, end, facts)),
    endDelegated: (workspaceId, jobId, waitsFor, end) =>
      change(workspaceId, jobId, (target, facts) => decideDelegatedEnd(target, waitsFor, end, facts)),
    action: async (workspaceId, jobId) => {
      const [found] = await orm
        .select({ row: networkActions, job: jobs, accountId: networkAccounts.id })
        .from(networkActions)
        .innerJoin(jobs, eq(jobs.id, networkActions.jobId))
        .innerJoin(networkAccounts, eq(networkAccounts.seq, networkActions.account))
        .where(and(eq(networkActions.jobId, jobId), eq(networkActions.workspaceId, workspaceId)));
      return found === undefined ? null : { action: actionOf(found.row, found.accountId), job: found.job };
    },
    skipObjectedTasks,
  };
}

/** Locks what the decision about a new action depends on, and returns its facts. */
export async function lockForSchedule(
  connection: Connection,
  engine: Engine,
  { action }: ScheduleAction,
): Promise<LoadedFacts> {
  const { workspaceId, accountId } = action;
  await lockSuppressions(connection, [workspaceId], "shared");
  await lockInvitation(connection, action);
  const facts = new LoadedFacts(connection, engine);
  facts.know(`account of ${workspaceId} ${accountId}`, await lockAccount(connection, workspaceId, accountId));
  return facts;
}

/** Two accounts of a workspace that are about to invite the same person take turns. Before their accounts are locked. */
async function lockInvitation(
  connection: Connection,
  {
    workspaceId,
    profileKey,
    actionType: type,
  }: Pick<ScheduleAction["action"], "workspaceId" | "profileKey" | "actionType">,
): Promise<void> {
  if (type !== "sendConnectionRequest") return;
  await takeLocks(connection, [{ key: `invitation ${workspaceId} ${profileKey}`, isShared: false }]);
}

/** What waits for a user to carry it out. */
export function isTaskOf(connection: Connection, workspaceId: WorkspaceId) {
  const own = connection
    .select({ seq: networkAccounts.seq })
    .from(networkAccounts)
    .where(eq(networkAccounts.workspaceId, workspaceId));
  return and(
    inArray(networkActions.account, own),
    sql`${networkActions.state} = 'awaiting'`,
    sql`${networkActions.pendingReason} = 'awaitingPerson'`,
  );
}
