import { and, eq, sql } from "drizzle-orm";
import type {
  BudgetLimit,
  ChargeCredits,
  ReserveCredits,
  SettleCredits,
} from "../../../features/credits/change-model.ts";
import {
  decideCharge,
  decideReserve,
  decideSettle,
  type CreditChange,
  type CreditFacts,
} from "../../../features/credits/decisions.ts";
import type { LedgerEntry } from "../../../features/credits/model.ts";
import type { Decision } from "../../../platform/base/decision.ts";
import { creditBalances, creditBudgets, creditKeyMonths, creditReservations } from "./credit-tables.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { placeholdersOf } from "./placeholders.ts";
import { lazy } from "./prepared.ts";
import { creditLedger } from "./tables.ts";

/**
 * Credits inside a write unit, also for features that charge in the same transaction as other rows: the facts that
 * decisions ask for, and the rows that they change. Triggers keep balances and the usage of keys in step with the
 * ledger.
 */
export type CreditRows = ReturnType<typeof createCreditRows>;

export function createCreditRows({ orm }: Engine, events: EventRows) {
  const at = sql.placeholder;
  const balanceOf = lazy(() =>
    orm
      .select({ balance: creditBalances.balance })
      .from(creditBalances)
      .where(eq(creditBalances.workspaceId, at("workspaceId")))
      .prepare(),
  );
  const insert = lazy(() => orm.insert(creditLedger).values(placeholdersOf(creditLedger)).prepare());
  const insertOnce = lazy(() =>
    orm
      .insert(creditLedger)
      .values(placeholdersOf(creditLedger))
      .onConflictDoNothing()
      .returning({ id: creditLedger.id })
      .prepare(),
  );
  const limitOf = lazy(() =>
    orm
      .select({ monthly: creditBudgets.monthly, ceiling: creditBudgets.ceiling })
      .from(creditBudgets)
      .where(eq(creditBudgets.keyId, at("keyId")))
      .prepare(),
  );
  const usedBy = lazy(() =>
    orm
      .select({ used: creditKeyMonths.used })
      .from(creditKeyMonths)
      .where(and(eq(creditKeyMonths.keyId, at("keyId")), eq(creditKeyMonths.month, at("month"))))
      .prepare(),
  );
  const reservationOf = lazy(() =>
    orm
      .select()
      .from(creditReservations)
      .where(and(eq(creditReservations.workspaceId, at("workspaceId")), eq(creditReservations.request, at("request"))))
      .prepare(),
  );
  const reservationById = lazy(() =>
    orm
      .select()
      .from(creditReservations)
      .where(eq(creditReservations.id, at("id")))
      .prepare(),
  );
  const insertReservation = lazy(() =>
    orm.insert(creditReservations).values(placeholdersOf(creditReservations)).prepare(),
  );
  const holdAnew = lazy(() =>
    orm
      .update(creditReservations)
      .set({ held: sql`${at("held")}`, heldUntil: sql`${at("heldUntil")}` })
      .where(eq(creditReservations.id, at("id")))
      .prepare(),
  );
  const itemOf = (kind: "settle" | "refund") =>
    lazy(() =>
      orm
        .select({ amount: creditLedger.amount, purpose: creditLedger.purpose, keyId: creditLedger.keyId })
        .from(creditLedger)
        .where(
          and(
            eq(creditLedger.workspaceId, at("workspaceId")),
            eq(creditLedger.request, at("request")),
            eq(creditLedger.item, at("item")),
            eq(creditLedger.kind, kind),
          ),
        )
        .prepare(),
    );
  const settledItem = itemOf("settle");
  const refundedItem = itemOf("refund");

  const facts: CreditFacts = {
    balance: (workspaceId) => balanceOf().get({ workspaceId })?.balance ?? 0,
    limit: (keyId) => limitOf().get({ keyId }) ?? null,
    used: (keyId, month) => usedBy().get({ keyId, month })?.used ?? 0,
    reservation: (id) => reservationById().get({ id }) ?? null,
    reservationOf: (workspaceId, request) => reservationOf().get({ workspaceId, request }) ?? null,
    settled: (workspaceId, request, item) => settledItem().get({ workspaceId, request, item }) ?? null,
    isRefunded: (workspaceId, request, item) => refundedItem().get({ workspaceId, request, item }) !== undefined,
    lastEventAt: (workspaceId, type) => events.lastTold(workspaceId, type),
  };

  function apply<Outcome>({ outcome, changes }: Decision<Outcome, CreditChange>): Outcome {
    for (const change of changes) write(change);
    return outcome;
  }

  function write(change: CreditChange): void {
    switch (change.kind) {
      case "entry":
        return void insert().run({ ...noDetails, ...change.entry });
      case "open":
        return void insertReservation().run(change.reservation);
      case "hold":
        return void holdAnew().run({ id: change.id, held: change.held, heldUntil: change.heldUntil });
      case "budget":
        return writeLimit(change.keyId, change.limit);
      case "event":
        return events.append(change.event);
    }
  }

  function writeLimit(keyId: string, limit: BudgetLimit | null): void {
    if (limit === null) orm.delete(creditBudgets).where(eq(creditBudgets.keyId, keyId)).run();
    else
      orm
        .insert(creditBudgets)
        .values({ keyId, ...limit })
        .onConflictDoUpdate({ target: creditBudgets.keyId, set: limit })
        .run();
  }

  /** False if the ledger already has an entry of this user, request, item, and kind. */
  function addOnce(entry: LedgerEntry): boolean {
    return insertOnce().all({ ...noDetails, ...entry }).length > 0;
  }

  return {
    facts,
    apply,
    write,
    addOnce,
    balance: facts.balance,
    reserve: (request: ReserveCredits) => apply(decideReserve(request, facts)),
    settle: (request: SettleCredits) => apply(decideSettle(request, facts)),
    charge: (request: ChargeCredits) => apply(decideCharge(request, facts)),
  };
}

const noDetails = { purpose: null, request: null, item: null, keyId: null };
