import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type {
  BudgetLimit,
  ChargeCredits,
  ChargeOutcome,
  ReserveCredits,
  ReserveOutcome,
  SettleCredits,
  SettleOutcome,
} from "../../../features/credits/change-model.ts";
import {
  decideCharge,
  decideReserve,
  decideSettle,
  monthOf,
  type CreditChange,
  type CreditFacts,
} from "../../../features/credits/decisions.ts";
import type { LedgerEntry } from "../../../features/credits/model.ts";
import type { Decision } from "../../../platform/base/decision.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { creditBalances, creditBudgets, creditKeyMonths, creditLedger, creditReservations } from "./credit-tables.ts";
import type { Connection } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { decideLoaded, NamedFacts } from "./loaded.ts";
import { events, workspaces } from "./tables.ts";

// Credits inside a transaction, also for features that charge in the same transaction as other rows: the facts that
// decisions ask for, and the rows that they change.

/** Moves credits into a reservation; see `CreditStore`. */
export function reserveCredits(connection: Connection, request: ReserveCredits): Promise<ReserveOutcome> {
  return changeCredits(connection, (facts) => decideReserve(request, facts));
}

/** Charges items against a reservation; see `CreditStore`. */
export function settleCredits(connection: Connection, request: SettleCredits): Promise<SettleOutcome> {
  return changeCredits(connection, (facts) => decideSettle(request, facts));
}

/** Charges at once; see `CreditStore`. */
export function chargeCredits(connection: Connection, request: ChargeCredits): Promise<ChargeOutcome> {
  return changeCredits(connection, (facts) => decideCharge(request, facts));
}

export async function changeCredits<Outcome>(
  connection: Connection,
  decide: (facts: CreditFacts) => Decision<Outcome, CreditChange>,
): Promise<Outcome> {
  const named = new NamedFacts();
  const facts = creditFacts(connection, named);
  const { outcome, changes } = await decideLoaded(() => decide(facts), named);
  await writeCreditChanges(connection, changes);
  return outcome;
}

/**
 * Facts for a decision in a transaction. What concerns a workspace is read after its balance is locked, so that its
 * credits do not change until the transaction ends. `named` is the source to load from, also for a decision that asks
 * for other facts.
 */
export function creditFacts(connection: Connection, named: NamedFacts): CreditFacts {
  const { workspaceId, request, item, kind } = creditLedger;
  const locked = new Map<WorkspaceId, Promise<number>>();
  const lock = (id: WorkspaceId): Promise<number> => {
    const balance = locked.get(id) ?? lockBalance(connection, id);
    locked.set(id, balance);
    return balance;
  };

  async function itemOf(ofKind: "settle" | "refund", id: WorkspaceId, ofRequest: string, ofItem: string) {
    await lock(id);
    const [entry] = await connection
      .select({ amount: creditLedger.amount, purpose: creditLedger.purpose, keyId: creditLedger.keyId })
      .from(creditLedger)
      .where(and(eq(workspaceId, id), eq(request, ofRequest), eq(item, ofItem), eq(kind, ofKind)));
    return entry ?? null;
  }

  async function reservation(id: string) {
    const find = async () =>
      (await connection.select().from(creditReservations).where(eq(creditReservations.id, id)))[0] ?? null;
    // It is read again behind the lock, and a merge may have given it to another workspace meanwhile.
    for (let found = await find(); ;) {
      if (found === null) return null;
      await lock(found.workspaceId);
      const current = await find();
      if (current?.workspaceId === found.workspaceId) return current;
      found = current;
    }
  }

  return {
    balance: (id) => named.get(`balance ${id}`, () => lock(id)),
    limit: (keyId) => named.get(`budget ${keyId}`, () => lockLimit(connection, keyId)),
    used: (keyId, month) => named.get(`used ${keyId} ${month}`, () => readUsed(connection, keyId, month)),
    reservation: (id) => named.get(`reservation ${id}`, () => reservation(id)),
    reservationOf: (id, ofRequest) =>
      named.get(`reservation of ${id} ${ofRequest}`, async () => {
        await lock(id);
        const isOf = and(eq(creditReservations.workspaceId, id), eq(creditReservations.request, ofRequest));
        const [found] = await connection.select().from(creditReservations).where(isOf);
        return found ?? null;
      }),
    settled: (id, ofRequest, ofItem) =>
      named.get(settledName(id, ofRequest, ofItem), () => itemOf("settle", id, ofRequest, ofItem)),
    isRefunded: (id, ofRequest, ofItem) =>
      named.get(`refunded ${JSON.stringify([id, ofRequest, ofItem])}`, () =>
        itemOf("refund", id, ofRequest, ofItem),
      ) !== null,
    lastEventAt: (id, type) =>
      named.get(`last ${type} ${id}`, async () => {
        const [last] = await connection
          .select({ at: events.at })
          .from(events)
          .innerJoin(workspaces, eq(workspaces.seq, events.owner))
          .where(and(eq(workspaces.id, id), eq(events.type, type)))
          .orderBy(desc(events.id))
          .limit(1);
        return last?.at ?? null;
      }),
  };
}

/** Loads what items of a request were charged, with one query for all that the decision will ask for. */
export async function knowSettled(
  connection: Connection,
  named: NamedFacts,
  { workspaceId, request, items }: { workspaceId: WorkspaceId; request: string; items: readonly string[] },
): Promise<void> {
  if (items.length === 0) return;
  const { item, amount, purpose, keyId } = creditLedger;
  const entries = await connection
    .select({ item, amount, purpose, keyId })
    .from(creditLedger)
    .where(
      and(
        eq(creditLedger.workspaceId, workspaceId),
        eq(creditLedger.request, request),
        eq(creditLedger.kind, "settle"),
        inArray(item, [...items]),
      ),
    );
  const found = new Map(entries.map(({ item: name, ...entry }) => [name, entry]));
  for (const name of items) named.set(settledName(workspaceId, request, name), found.get(name) ?? null);
}

function settledName(workspaceId: WorkspaceId, request: string, item: string): string {
  return `settled ${JSON.stringify([workspaceId, request, item])}`;
}

export async function writeCreditChanges(connection: Connection, changes: readonly CreditChange[]): Promise<void> {
  const entries = changes.flatMap((change) => (change.kind === "entry" ? [change.entry] : []));
  await addEntries(connection, entries);
  for (const change of changes) {
    if (change.kind === "open") await connection.insert(creditReservations).values(change.reservation);
    else if (change.kind === "hold")
      await connection
        .update(creditReservations)
        .set({ held: change.held, heldUntil: change.heldUntil })
        .where(eq(creditReservations.id, change.id));
    else if (change.kind === "budget") await writeLimit(connection, change.keyId, change.limit);
  }
  const appended = changes.flatMap((change) => (change.kind === "event" ? [change.event] : []));
  await appendEvents(connection, appended);
}

/** Appends to the ledger. The balances, and what keys have used, change with it. */
export async function addEntries(connection: Connection, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await connection.insert(creditLedger).values([...entries]);
  await addUp(connection, entries);
}

/** As `addEntries`, without those whose workspace, request, item, and kind the ledger has. Returns how many it added. */
export async function addEntriesOnce(connection: Connection, entries: readonly LedgerEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  const added = await connection
    .insert(creditLedger)
    // In one order, or two transactions that add the same entries could wait for each other.
    .values(entries.toSorted((a, b) => compare(orderOf(a), orderOf(b))))
    .onConflictDoNothing()
    .returning();
  await addUp(connection, added);
  return added.length;
}

/** Zero if the workspace does not exist. */
export async function readBalance(connection: Connection, workspaceId: WorkspaceId): Promise<number> {
  const [row] = await connection
    .select({ balance: creditBalances.balance })
    .from(creditBalances)
    .where(eq(creditBalances.workspaceId, workspaceId));
  return row?.balance ?? 0;
}

/** The budget of a key; null if it has none. */
export async function readLimit(connection: Connection, keyId: string): Promise<BudgetLimit | null> {
  const [limit] = await limitOf(connection, keyId);
  return limit ?? null;
}

export async function readUsed(connection: Connection, keyId: string, month: number): Promise<number> {
  const [row] = await connection
    .select({ used: creditKeyMonths.used })
    .from(creditKeyMonths)
    .where(and(eq(creditKeyMonths.keyId, keyId), eq(creditKeyMonths.month, month)));
  return row?.used ?? 0;
}

async function lockBalance(connection: Connection, workspaceId: WorkspaceId): Promise<number> {
  const find = () =>
    connection
      .select({ balance: creditBalances.balance })
      .from(creditBalances)
      .where(eq(creditBalances.workspaceId, workspaceId))
      .for("update");
  const [found] = await find();
  if (found !== undefined) return found.balance;
  // A workspace without any entry: there must be a row to lock.
  await connection.execute(sql`
    INSERT INTO ${creditBalances} (workspace_id, balance)
    SELECT ${workspaces.id}, 0 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
    ON CONFLICT DO NOTHING`);
  const [created] = await find();
  return created?.balance ?? 0;
}

/** A key without a workspace takes from many balances, and its budget is one. */
async function lockLimit(connection: Connection, keyId: string): Promise<BudgetLimit | null> {
  const [limit] = await limitOf(connection, keyId).for("update");
  return limit ?? null;
}

function limitOf(connection: Connection, keyId: string) {
  return connection
    .select({ monthly: creditBudgets.monthly, ceiling: creditBudgets.ceiling })
    .from(creditBudgets)
    .where(eq(creditBudgets.keyId, keyId));
}

async function writeLimit(connection: Connection, keyId: string, limit: BudgetLimit | null): Promise<void> {
  if (limit === null) await connection.delete(creditBudgets).where(eq(creditBudgets.keyId, keyId));
  else
    await connection
      .insert(creditBudgets)
      .values({ keyId, ...limit })
      .onConflictDoUpdate({ target: creditBudgets.keyId, set: limit });
}

/** Balances first, in the order of their workspaces: as everyone who locks more than one row. */
async function addUp(connection: Connection, entries: readonly LedgerEntry[]): Promise<void> {
  const balances = sums(entries, ({ workspaceId, amount }) => [workspaceId, amount]);
  if (balances.length > 0)
    await connection
      .insert(creditBalances)
      .values(balances.map(([workspaceId, balance]) => ({ workspaceId, balance })))
      .onConflictDoUpdate({
        target: creditBalances.workspaceId,
        set: { balance: sql`${creditBalances.balance} + excluded.balance` },
      });
  const ofKeys = entries.filter(({ keyId }) => keyId);
  const months = sums(ofKeys, ({ keyId, amount, createdAt }) => [JSON.stringify([keyId, monthOf(createdAt)]), -amount]);
  if (months.length > 0)
    await connection
      .insert(creditKeyMonths)
      .values(
        months.map(([name, used]) => {
          const [keyId, month] = JSON.parse(name) as [string, number];
          return { keyId, month, used };
        }),
      )
      .onConflictDoUpdate({
        target: [creditKeyMonths.keyId, creditKeyMonths.month],
        set: { used: sql`${creditKeyMonths.used} + excluded.used` },
      });
}

/** Sorted by name. */
function sums(
  entries: readonly LedgerEntry[],
  partOf: (entry: LedgerEntry) => [name: string, amount: number],
): [string, number][] {
  const totals = new Map<string, number>();
  for (const entry of entries) {
    const [name, amount] = partOf(entry);
    totals.set(name, (totals.get(name) ?? 0) + amount);
  }
  return [...totals].toSorted(([a], [b]) => compare(a, b));
}

function orderOf({ workspaceId, request, item, kind }: LedgerEntry): string {
  return JSON.stringify([workspaceId, request, item, kind]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
