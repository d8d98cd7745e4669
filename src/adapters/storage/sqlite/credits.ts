import { and, desc, eq, gte, isNotNull, lt, lte, notExists, sql } from "drizzle-orm";
import type { LedgerEntry } from "../../../features/credits/model.ts";
import type {
  BudgetOutcome,
  ChargeOutcome,
  CreditStore,
  LedgerFilter,
  LedgerPageRequest,
  RefundCredits,
  RefundOutcome,
} from "../../../features/credits/store.ts";
import { creditBudgets, creditReservations } from "./credit-tables.ts";
import type { Engine } from "./engine.ts";
import { countRows, olderThan } from "./list-pages.ts";
import type { SharedRows } from "./shared-rows.ts";
import { creditLedger, jobs, users } from "./tables.ts";

export function createCreditStore(engine: Engine, { credits: rows }: SharedRows): CreditStore {
  const { orm, writer } = engine;

  function adjust(entry: LedgerEntry): ChargeOutcome {
    const { userId, amount, createdAt } = entry;
    const lacking = amount < 0 ? rows.lack({ userId, keyId: null, amount: -amount, at: createdAt }) : null;
    if (lacking !== null) return lacking;
    rows.add(entry);
    if (amount < 0) rows.tellOfDebit(userId, -amount, createdAt);
    return { kind: "charged", balance: rows.balance(userId) };
  }

  function refund({ entryId, userId, request, item, note, at }: RefundCredits): RefundOutcome {
    const [settled] = orm
      .select()
      .from(creditLedger)
      .where(
        and(
          eq(creditLedger.userId, userId),
          eq(creditLedger.request, request),
          eq(creditLedger.item, item),
          eq(creditLedger.kind, "settle"),
        ),
      )
      .all();
    if (settled === undefined) return { kind: "absent" };
    const { purpose, keyId, amount } = settled;
    const entry = { id: entryId, userId, request, item, purpose, keyId, note, createdAt: at } as const;
    if (!rows.addOnce({ ...entry, kind: "refund", amount: -amount })) return { kind: "refundedBefore" };
    return { kind: "refunded", balance: rows.balance(userId) };
  }

  async function page({ limit, after, ...filter }: LedgerPageRequest) {
    return orm
      .select()
      .from(creditLedger)
      .where(and(entriesOf(filter), olderThan(creditLedger, after)))
      .orderBy(desc(creditLedger.createdAt), desc(creditLedger.id))
      .limit(limit)
      .all();
  }

  const countEntries = (filter: LedgerFilter): Promise<number> =>
    countRows(engine, orm.select({ id: creditLedger.id }).from(creditLedger).where(entriesOf(filter)).toSQL());

  async function usersWithout(request: string, createdBefore: number, limit: number): Promise<string[]> {
    const granted = orm
      .select({ id: creditLedger.id })
      .from(creditLedger)
      .where(and(eq(creditLedger.userId, users.id), eq(creditLedger.request, request), isNotNull(creditLedger.item)));
    return orm
      .select({ id: users.id })
      .from(users)
      .where(and(lt(users.createdAt, createdBefore), notExists(granted)))
      .limit(limit)
      .all()
      .map(({ id }) => id);
  }

  async function reserved(userId: string): Promise<number> {
    const held = sql<number>`coalesce(sum(${creditReservations.held}), 0)`;
    const open = and(eq(creditReservations.userId, userId), isNotNull(creditReservations.heldUntil));
    return orm.select({ held }).from(creditReservations).where(open).get()?.held ?? 0;
  }

  async function abandoned(heldBefore: number, limit: number): Promise<string[]> {
    const isOver = sql`CASE WHEN ${creditReservations.jobId} IS NULL
      THEN ${creditReservations.heldUntil} < ${heldBefore}
      ELSE coalesce((SELECT ${jobs.status} IN ('completed', 'failed') FROM ${jobs}
                     WHERE ${jobs.id} = ${creditReservations.jobId}), 1) END`;
    return orm
      .select({ id: creditReservations.id })
      .from(creditReservations)
      .where(and(isNotNull(creditReservations.heldUntil), isOver))
      .limit(limit)
      .all()
      .map(({ id }) => id);
  }

  function setBudget(keyId: string, monthly: number | null, by: "admin" | "owner"): BudgetOutcome {
    const ofKey = eq(creditBudgets.keyId, keyId);
    const set = orm.select({ ceiling: creditBudgets.ceiling }).from(creditBudgets).where(ofKey).get();
    const ceiling = by === "admin" ? monthly : (set?.ceiling ?? null);
    if (ceiling !== null && (monthly ?? Infinity) > ceiling) return { kind: "beyond", ceiling };
    if (monthly === null) orm.delete(creditBudgets).where(ofKey).run();
    else
      orm
        .insert(creditBudgets)
        .values({ keyId, monthly, ceiling })
        .onConflictDoUpdate({ target: creditBudgets.keyId, set: { monthly, ceiling } })
        .run();
    return { kind: "set" };
  }

  return {
    add: (entry) =>
      writer.write(() => {
        rows.add(entry);
        return rows.balance(entry.userId);
      }),
    adjust: (entry) => writer.write(() => adjust(entry)),
    addOnce: (entries) => writer.write(() => entries.filter((entry) => rows.addOnce(entry)).length),
    usersWithout,
    balance: async (userId) => rows.balance(userId),
    reserved,
    page,
    countEntries,
    reserve: (request) => writer.write(() => rows.reserve(request)),
    settle: (request) => writer.write(() => rows.settle(request)),
    charge: (request) => writer.write(() => rows.charge(request)),
    refund: (request) => writer.write(() => refund(request)),
    abandoned,
    setBudget: (keyId, monthly, by) => writer.write(() => setBudget(keyId, monthly, by)),
    budget: async (keyId, at) => {
      const found = rows.budget(keyId, at);
      return found && { keyId, ...found };
    },
  };
}

function entriesOf({ userId, kind, createdFrom, createdTo }: LedgerFilter) {
  return and(
    eq(creditLedger.userId, userId),
    kind === null ? undefined : eq(creditLedger.kind, kind),
    createdFrom === null ? undefined : gte(creditLedger.createdAt, createdFrom),
    createdTo === null ? undefined : lte(creditLedger.createdAt, createdTo),
  );
}
