import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { CoolDown, NetworkAccount } from "../../../features/network/account-model.ts";
import { decideAccountUpdate } from "../../../features/network/decisions/accounts.ts";
import type { StoredAccount } from "../../../features/network/decisions/facts.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import { meterOf } from "../meter-code.ts";
import type { Connection, Engine } from "./engine.ts";
import { writeChanges } from "./network-changes.ts";
import { networkAccounts, networkActions, networkMeters } from "./network-tables.ts";
import { oneOf } from "./one-of.ts";
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

type AccountRow = typeof networkAccounts.$inferSelect;

export function createAccountStore({ orm, transact }: Engine): AccountStore {
  const ofUser = (workspaceId: WorkspaceId, id: string) =>
    and(eq(networkAccounts.workspaceId, workspaceId), eq(networkAccounts.id, id));

  async function update(
    connection: Connection,
    workspaceId: WorkspaceId,
    id: string,
    change: Parameters<NetworkStore["updateAccount"]>[2],
  ): Promise<NetworkAccount | null> {
    const record = await lockAccount(connection, workspaceId, id);
    if (record === null) return null;
    const { outcome, changes } = decideAccountUpdate(record, change);
    await writeChanges(connection, changes);
    return outcome;
  }

  async function remove(
    connection: Connection,
    workspaceId: WorkspaceId,
    id: string,
  ): Promise<"removed" | "absent" | "inUse"> {
    const record = await lockAccount(connection, workspaceId, id);
    if (record === null) return "absent";
    const { seq } = record;
    const ofAccount = eq(networkActions.account, seq);
    const used = await connection.select({ seq: networkActions.seq }).from(networkActions).where(ofAccount).limit(1);
    if (used.length > 0) return "inUse";
    await connection.delete(networkAccounts).where(eq(networkAccounts.seq, seq));
    return "removed";
  }

  return {
    insertAccount: (account) =>
      transact(async (connection) => void (await connection.insert(networkAccounts).values(account))),
    async accounts(workspaceId) {
      const { createdAt, id } = networkAccounts;
      const ofOwner = eq(networkAccounts.workspaceId, workspaceId);
      const rows = await orm.select().from(networkAccounts).where(ofOwner).orderBy(asc(createdAt), asc(id));
      return rows.map(accountOf);
    },
    async account(workspaceId, id) {
      const [row] = await orm.select().from(networkAccounts).where(ofUser(workspaceId, id));
      return row === undefined ? null : accountOf(row);
    },
    async activeAccounts() {
      const rows = await orm.select().from(networkAccounts).where(eq(networkAccounts.state, "active"));
      return rows.map(accountOf);
    },
    updateAccount: (workspaceId, id, change) => transact((connection) => update(connection, workspaceId, id, change)),
    removeAccount: (workspaceId, id) => transact((connection) => remove(connection, workspaceId, id)),
    async coolDowns(workspaceId, id) {
      const [row] = await orm.select().from(networkAccounts).where(ofUser(workspaceId, id));
      return row === undefined ? [] : [...(await recordOf(orm, row)).governed.coolDowns];
    },
    async accountsToPlan() {
      const rows = await orm
        .select({ id: networkAccounts.id })
        .from(networkAccounts)
        .where(eq(networkAccounts.needsPlan, true))
        .orderBy(asc(networkAccounts.seq));
      return rows.map(({ id }) => id);
    },
    async planAll() {
      await orm
        .update(networkAccounts)
        .set({ needsPlan: true, queueVersion: sql`${networkAccounts.queueVersion} + 1` });
    },
  };
}

/** An account of the user, which nobody else reads for a decision until the transaction ends. */
export async function lockAccount(
  connection: Connection,
  workspaceId: WorkspaceId,
  id: string,
): Promise<StoredAccount | null> {
  const ofUser = and(eq(networkAccounts.workspaceId, workspaceId), eq(networkAccounts.id, id));
  const [row] = await connection.select().from(networkAccounts).where(ofUser).for("update");
  return row === undefined ? null : recordOf(connection, row);
}

export async function lockAccountById(connection: Connection, id: string): Promise<StoredAccount | null> {
  const [row] = await connection.select().from(networkAccounts).where(eq(networkAccounts.id, id)).for("update");
  return row === undefined ? null : recordOf(connection, row);
}

/**
 * Locks accounts in the order of their numbers, so that transactions which lock several never wait for each other in a
 * circle. `skipLocked`: leaves out those that another transaction is deciding about.
 */
export async function lockAccounts(
  connection: Connection,
  seqs: readonly number[],
  { skipLocked = false } = {},
): Promise<StoredAccount[]> {
  if (seqs.length === 0) return [];
  const rows = await connection
    .select()
    .from(networkAccounts)
    .where(oneOf(networkAccounts.seq, seqs))
    .orderBy(asc(networkAccounts.seq))
    .for("update", skipLocked ? { skipLocked: true } : {});
  const resting = await coolDownsOf(
    connection,
    rows.map(({ seq }) => seq),
  );
  return rows.map((row) => storedAccount(row, resting.get(row.seq) ?? []));
}

/** The accounts of a workspace, in the order of their numbers, for those who only look at them: locks nothing. */
export async function readAccounts(connection: Connection, workspaceId: WorkspaceId): Promise<StoredAccount[]> {
  const rows = await connection
    .select()
    .from(networkAccounts)
    .where(eq(networkAccounts.workspaceId, workspaceId))
    .orderBy(asc(networkAccounts.seq));
  return rows.map((row) => storedAccount(row, []));
}

/** The account as decisions see it. */
export async function recordOf(connection: Connection, row: AccountRow): Promise<StoredAccount> {
  const resting = await coolDownsOf(connection, [row.seq]);
  return storedAccount(row, resting.get(row.seq) ?? []);
}

function storedAccount(row: AccountRow, coolDowns: readonly CoolDown[]): StoredAccount {
  const account = accountOf(row);
  return { seq: row.seq, account, governed: { ...account, coolDowns }, needsPlan: row.needsPlan };
}

async function coolDownsOf(connection: Connection, seqs: readonly number[]): Promise<Map<number, CoolDown[]>> {
  if (seqs.length === 0) return new Map();
  const rows = await connection
    .select()
    .from(networkMeters)
    .where(and(oneOf(networkMeters.account, seqs), isNotNull(networkMeters.coolUntil)))
    .orderBy(asc(networkMeters.meter));
  const coolDowns = new Map<number, CoolDown[]>();
  for (const { account, meter, coolUntil, coolLevel, coolReason, coolSince } of rows) {
    const rest = { until: coolUntil ?? 0, level: coolLevel ?? 1, reason: coolReason ?? "", since: coolSince ?? 0 };
    coolDowns.set(account, [...(coolDowns.get(account) ?? []), { meter: meterOf(meter), ...rest }]);
  }
  return coolDowns;
}

function accountOf({
  seq: _seq,
  needsPlan: _plan,
  queueVersion: _version,
  messagesReadTo: _readTo,
  ...account
}: AccountRow): NetworkAccount {
  return account;
}
