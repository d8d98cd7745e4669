import { and, eq, sql } from "drizzle-orm";
import { type CoolDown, type NetworkAccount } from "../../../features/network/account-model.ts";
import { decideAccountUpdate } from "../../../features/network/decisions/accounts.ts";
import type { StoredAccount } from "../../../features/network/decisions/facts.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import { meterCode, meterOf } from "../meter-code.ts";
import type { Engine } from "./engine.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import { networkAccounts, networkMeters, waitsForSomebody } from "./network-tables.ts";
import { lazy, prepared } from "./prepared.ts";

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
  const { orm, database, writer } = engine;
  const bySeq = lazy(() =>
    orm
      .select()
      .from(networkAccounts)
      .where(eq(networkAccounts.seq, sql.placeholder("seq")))
      .prepare(),
  );
  const seqOf = prepared<{ seq: number }, [string]>(database, "SELECT seq FROM network_accounts WHERE id = ?");
  const coolDowns = lazy(() =>
    orm
      .select()
      .from(networkMeters)
      .where(and(eq(networkMeters.account, sql.placeholder("seq")), sql`${networkMeters.coolUntil} IS NOT NULL`))
      .prepare(),
  );
  const needPlan = prepared(database, "UPDATE network_accounts SET needs_plan = 1 WHERE seq = ?");
  const isForWorker = `account = ? AND ${waitsForSomebody} AND state = 'awaiting' AND pending_reason = 'awaitingWorker'`;
  const requeueJobs = prepared(
    database,
    `UPDATE jobs SET status = 'pending' WHERE id IN (SELECT job_id FROM network_actions WHERE ${isForWorker})`,
  );
  const requeueActions = prepared(
    database,
    `UPDATE network_actions SET state = 'scheduled', pending_reason = 'queued' WHERE ${isForWorker}`,
  );
  const countChange = prepared(database, "UPDATE network_accounts SET queue_version = queue_version + 1 WHERE seq = ?");
  const disconnect = prepared(
    database,
    "UPDATE network_accounts SET state = 'needsReconnect', state_reason = ?, updated_at = ? WHERE seq = ?",
  );
  const workers = prepared<{ seq: number }, [string, string | null, string | null]>(
    database,
    "SELECT seq FROM network_accounts WHERE user_id = ? AND connector = 'worker' AND (? IS NULL OR id = ?) ORDER BY seq",
  );
  const cache = new Map<number, StoredAccount>();
  const seqs = new Map<string, number>();
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
      const seq = seqs.get(id) ?? seqOf.get(id)?.seq;
      if (seq === undefined) return null;
      const record = rows.get(seq);
      if (record !== null) seqs.set(id, seq);
      return record;
    },
    ofUser(userId: string, id: string): StoredAccount | null {
      const record = rows.byId(id);
      return record?.account.userId === userId ? record : null;
    },
    idOf: (seq: number): string => rows.get(seq)?.account.id ?? "",
    /** Removes an account from the cache. Call after every change to it. */
    forget(seq: number): void {
      cache.delete(seq);
    },
    forgetAll(): void {
      cache.clear();
      seqs.clear();
    },
    /** Forgets a removed account, whose number may be reused. */
    removed({ seq, account }: StoredAccount): void {
      cache.delete(seq);
      seqs.delete(account.id);
    },
    /** Counts changes only while the queue needs a plan. `replan`: the queue no longer matches its plan. */
    queueChanged(seq: number, replan: boolean): void {
      if (rows.get(seq)?.needsPlan) countChange.run(seq);
      else if (replan) {
        needPlan.run(seq);
        rows.forget(seq);
      }
    },
    disconnect(seq: number, stateReason: string, now: number): void {
      disconnect.run(stateReason, now, seq);
      rows.forget(seq);
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
      const plan = { needsPlan: true, queueVersion: sql`${networkAccounts.queueVersion} + 1` };
      orm
        .update(networkAccounts)
        .set({ ...values, ...(replan && plan) })
        .where(eq(networkAccounts.seq, seq))
        .run();
      rows.forget(seq);
    },
    /** Returns actions that are waiting for a worker to the queue. */
    releaseWorkerQueue(seq: number): void {
      requeueJobs.run(seq);
      requeueActions.run(seq);
    },
    /** Accounts of a user whose actions are performed by workers. */
    workersOf: (userId: string, id: string | null): { seq: number }[] => workers.all(userId, id, id),
  };
  return rows;
}

export function createAccountStore(
  { orm, database, writer, shared }: Engine,
  rows: AccountRows,
  write: ChangeWriter,
): AccountStore {
  const seqsOf = prepared<{ seq: number }, [string]>(database, "SELECT seq FROM network_accounts WHERE user_id = ?");
  /** Sorts here, which costs less than sorting in SQLite. */
  function accountsOf(userId: string): NetworkAccount[] {
    const accounts = seqsOf.all(userId).flatMap(({ seq }) => rows.get(seq)?.account ?? []);
    return accounts.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }
  const toPlan = prepared<{ id: string }, []>(database, "SELECT id FROM network_accounts WHERE needs_plan = 1");
  const planAll = prepared(database, "UPDATE network_accounts SET needs_plan = 1, queue_version = queue_version + 1");
  const hasActions = prepared(database, "SELECT 1 FROM network_actions WHERE account = ? LIMIT 1");

  return {
    insertAccount: (account) => writer.write(() => insertAccountRow({ orm }, account)),
    accounts: async (userId) => shared.read(() => accountsOf(userId)),
    account: async (userId, id) => rows.ofUser(userId, id)?.account ?? null,
    activeAccounts: async () =>
      orm.select().from(networkAccounts).where(eq(networkAccounts.state, "active")).all().map(accountOf),
    updateAccount: (userId, id, change) =>
      writer.write(() => {
        const record = rows.ofUser(userId, id);
        if (record === null) return null;
        const { outcome, changes } = decideAccountUpdate(record, change);
        write(changes);
        return outcome;
      }),
    removeAccount: (userId, id) =>
      writer.write(() => {
        const record = rows.ofUser(userId, id);
        if (record === null) return "absent";
        if (hasActions.get(record.seq) !== null) return "inUse";
        orm.delete(networkAccounts).where(eq(networkAccounts.seq, record.seq)).run();
        rows.removed(record);
        return "removed";
      }),
    coolDowns: async (userId, accountId) => [...(rows.ofUser(userId, accountId)?.governed.coolDowns ?? [])],
    planAll: () =>
      writer.write(() => {
        planAll.run();
        rows.forgetAll();
      }),
    accountsToPlan: async () => toPlan.all().map(({ id }) => id),
  };
}

/** Inserts an account inside a write unit. A new user is stored together with the first account. */
export function insertAccountRow({ orm }: Pick<Engine, "orm">, account: NetworkAccount): void {
  orm.insert(networkAccounts).values(account).run();
}

function accountOf(row: typeof networkAccounts.$inferSelect): NetworkAccount {
  const { seq: _seq, needsPlan: _plan, queueVersion: _version, ...account } = row;
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
