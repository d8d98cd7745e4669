import { and, eq, inArray, sql } from "drizzle-orm";
import { type CoolDown, type NetworkAccount } from "../../../features/network/account-model.ts";
import { decideAccountUpdate } from "../../../features/network/decisions/accounts.ts";
import type { StoredAccount } from "../../../features/network/decisions/facts.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import { meterCode, meterOf } from "../meter-code.ts";
import type { Engine } from "./engine.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import { networkAccounts, networkActions, networkMeters, waitsForSomebody } from "./network-tables.ts";
import { lazy } from "./prepared.ts";
import { jobs } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type AccountStore = Pick<
  NetworkStore,
  | "insertAccount"
  | "accounts"
  | "account"
  | "activeAccounts"
  | "updateAccount"
  | "removeAccount"
  | "coolDowns"
  | "accountsToPlan"
  | "planAll"
>;

export type AccountRows = ReturnType<typeof createAccountRows>;

/** Accounts inside a write unit. Cached in memory, because every action reads its account. */
export function createAccountRows(engine: Engine) {
  const { orm, writer } = engine;
  const hasSeq = eq(networkAccounts.seq, sql.placeholder("seq"));
  const bySeq = lazy(() => orm.select().from(networkAccounts).where(hasSeq).prepare());
  const seqOf = lazy(() =>
    orm
      .select({ seq: networkAccounts.seq })
      .from(networkAccounts)
      .where(eq(networkAccounts.id, sql.placeholder("id")))
      .prepare(),
  );
  const seqsOf = lazy(() =>
    orm
      .select({ seq: networkAccounts.seq })
      .from(networkAccounts)
      .where(eq(networkAccounts.workspaceId, sql.placeholder("workspaceId")))
      .orderBy(networkAccounts.seq)
      .prepare(),
  );
  const coolDowns = lazy(() =>
    orm
      .select()
      .from(networkMeters)
      .where(and(eq(networkMeters.account, sql.placeholder("seq")), sql`${networkMeters.coolUntil} IS NOT NULL`))
      .prepare(),
  );
  const needPlan = lazy(() => orm.update(networkAccounts).set({ needsPlan: true }).where(hasSeq).prepare());
  const nextVersion = { queueVersion: sql`${networkAccounts.queueVersion} + 1` };
  const countChange = lazy(() => orm.update(networkAccounts).set(nextVersion).where(hasSeq).prepare());
  const cache = new Map<number, StoredAccount>();
  const seqs = new Map<string, number>();
  const members = new Map<WorkspaceId, readonly number[]>();
  writer.onRollback(() => rows.forgetAll());

  function load(seq: number): StoredAccount | null {
    const row = bySeq().get({ seq });
    if (row === undefined) return null;
    const account = accountOf(row);
    const governed = { ...account, coolDowns: coolDowns().all({ seq }).map(coolDownOf) };
    return { seq, account, governed, needsPlan: row.needsPlan };
  }

  const rows = {
    get(seq: number): StoredAccount | null {
      const cached = cache.get(seq);
      if (cached !== undefined) return cached;
      const record = load(seq);
      if (record !== null) cache.set(seq, record);
      return record;
    },
    byId(id: string): StoredAccount | null {
      const seq = seqs.get(id) ?? seqOf().get({ id })?.seq;
      if (seq === undefined) return null;
      const record = rows.get(seq);
      if (record !== null) seqs.set(id, seq);
      return record;
    },
    ofUser(workspaceId: WorkspaceId, id: string): StoredAccount | null {
      const record = rows.byId(id);
      return record?.account.workspaceId === workspaceId ? record : null;
    },
    /** Also paused ones, in the order of their numbers. */
    ofWorkspace(workspaceId: WorkspaceId): StoredAccount[] {
      let found = members.get(workspaceId);
      if (found === undefined) {
        found = seqsOf()
          .all({ workspaceId })
          .map(({ seq }) => seq);
        // A new workspace gets its first account together with the workspace, not from here.
        if (found.length > 0) members.set(workspaceId, found);
      }
      return found.flatMap((seq) => rows.get(seq) ?? []);
    },
    idOf: (seq: number): string => rows.get(seq)?.account.id ?? "",
    /** Removes an account from the cache. Call after every change to it. */
    forget(seq: number): void {
      cache.delete(seq);
    },
    forgetAll(): void {
      cache.clear();
      seqs.clear();
      members.clear();
    },
    added({ workspaceId }: NetworkAccount): void {
      members.delete(workspaceId);
    },
    /** Forgets a removed account, whose number may be reused. */
    removed({ seq, account }: StoredAccount): void {
      cache.delete(seq);
      seqs.delete(account.id);
      members.delete(account.workspaceId);
    },
    /** Counts changes only while the queue needs a plan. `replan`: the queue no longer matches its plan. */
    queueChanged(seq: number, replan: boolean): void {
      if (rows.get(seq)?.needsPlan) countChange().run({ seq });
      else if (replan) {
        needPlan().run({ seq });
        rows.forget(seq);
      }
    },
    disconnect(seq: number, stateReason: string, now: number): void {
      rows.update(seq, { state: "needsReconnect", stateReason, updatedAt: now }, false);
    },
    coolDown(seq: number, { meter, until, level, reason, since }: CoolDown): void {
      const values = { coolUntil: until, coolLevel: level, coolReason: reason, coolSince: since };
      orm
        .insert(networkMeters)
        .values({ account: seq, meter: meterCode(meter), ...values })
        .onConflictDoUpdate({ target: [networkMeters.account, networkMeters.meter], set: values })
        .run();
      rows.forget(seq);
    },
    update(seq: number, values: Partial<NetworkAccount>, replan: boolean): void {
      orm
        .update(networkAccounts)
        .set({ ...values, ...(replan && { needsPlan: true, ...nextVersion }) })
        .where(eq(networkAccounts.seq, seq))
        .run();
      rows.forget(seq);
    },
    /** Returns actions that are waiting for a worker to the queue. */
    releaseWorkerQueue(seq: number): void {
      const isForWorker = and(
        eq(networkActions.account, seq),
        sql.raw(waitsForSomebody),
        sql`${networkActions.state} = 'awaiting'`,
        sql`${networkActions.pendingReason} = 'awaitingWorker'`,
      );
      const jobIds = orm.select({ id: networkActions.jobId }).from(networkActions).where(isForWorker);
      orm.update(jobs).set({ status: "pending" }).where(inArray(jobs.id, jobIds)).run();
      orm.update(networkActions).set({ state: "scheduled", pendingReason: "queued" }).where(isForWorker).run();
    },
    /** Accounts of a user whose actions are performed by workers. */
    workersOf: (workspaceId: WorkspaceId, id: string | null): { seq: number }[] =>
      orm
        .select({ seq: networkAccounts.seq })
        .from(networkAccounts)
        .where(
          and(
            eq(networkAccounts.workspaceId, workspaceId),
            eq(networkAccounts.connector, "worker"),
            id === null ? undefined : eq(networkAccounts.id, id),
          ),
        )
        .orderBy(networkAccounts.seq)
        .all(),
  };
  return rows;
}

export function createAccountStore({ orm, writer }: Engine, rows: AccountRows, write: ChangeWriter): AccountStore {
  return {
    insertAccount: (account) =>
      writer.write(() => {
        insertAccountRow({ orm }, account);
        rows.added(account);
      }),
    accounts: async (workspaceId) =>
      rows
        .ofWorkspace(workspaceId)
        .map(({ account }) => account)
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    account: async (workspaceId, id) => rows.ofUser(workspaceId, id)?.account ?? null,
    activeAccounts: async () =>
      orm.select().from(networkAccounts).where(eq(networkAccounts.state, "active")).all().map(accountOf),
    updateAccount: (workspaceId, id, change) =>
      writer.write(() => {
        const record = rows.ofUser(workspaceId, id);
        if (record === null) return null;
        const { outcome, changes } = decideAccountUpdate(record, change);
        write(changes);
        return outcome;
      }),
    removeAccount: (workspaceId, id) =>
      writer.write(() => {
        const record = rows.ofUser(workspaceId, id);
        if (record === null) return "absent";
        const ofAccount = eq(networkActions.account, record.seq);
        const used = orm.select({ seq: networkActions.seq }).from(networkActions).where(ofAccount).limit(1).get();
        if (used !== undefined) return "inUse";
        orm.delete(networkAccounts).where(eq(networkAccounts.seq, record.seq)).run();
        rows.removed(record);
        return "removed";
      }),
    coolDowns: async (workspaceId, accountId) => [...(rows.ofUser(workspaceId, accountId)?.governed.coolDowns ?? [])],
    planAll: () =>
      writer.write(() => {
        orm
          .update(networkAccounts)
          .set({ needsPlan: true, queueVersion: sql`${networkAccounts.queueVersion} + 1` })
          .run();
        rows.forgetAll();
      }),
    accountsToPlan: async () =>
      // Literal, because the index holds only accounts that need a plan.
      orm
        .select({ id: networkAccounts.id })
        .from(networkAccounts)
        .where(sql`${networkAccounts.needsPlan} = 1`)
        .all()
        .map(({ id }) => id),
  };
}

/** Inserts an account inside a write unit. A new user is stored together with the first account. */
export function insertAccountRow({ orm }: Pick<Engine, "orm">, account: NetworkAccount): void {
  orm.insert(networkAccounts).values(account).run();
}

function accountOf(row: typeof networkAccounts.$inferSelect): NetworkAccount {
  const { seq: _seq, needsPlan: _plan, queueVersion: _version, messagesReadTo: _readTo, ...account } = row;
  return account;
}

function coolDownOf(row: typeof networkMeters.$inferSelect): CoolDown {
  return {
    meter: meterOf(row.meter),
    until: row.coolUntil ?? 0,
    level: row.coolLevel ?? 1,
    reason: row.coolReason ?? "",
    since: row.coolSince ?? 0,
  };
}
