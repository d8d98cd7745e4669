import { and, eq, sql } from "drizzle-orm";
import { lowBalance, type LedgerEntry } from "../../../features/credits/model.ts";
import type {
  ChargeCredits,
  ChargeOutcome,
  Exhausted,
  ReserveCredits,
  ReserveOutcome,
  SettleCredits,
  SettleOutcome,
} from "../../../features/credits/store.ts";
import { creditBalances, creditBudgets, creditKeyMonths, creditReservations } from "./credit-tables.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { placeholdersOf } from "./placeholders.ts";
import { lazy } from "./prepared.ts";
import { creditLedger } from "./tables.ts";

/** Credits inside a write unit; also for features that charge together with rows of their own. */
export type CreditRows = ReturnType<typeof createCreditRows>;

export function createCreditRows({ orm }: Engine, events: EventRows) {
  const at = sql.placeholder;
  const balanceOf = lazy(() =>
    orm
      .select({ balance: creditBalances.balance })
      .from(creditBalances)
      .where(eq(creditBalances.userId, at("userId")))
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
  const budgetOf = lazy(() =>
    orm
      .select({ monthly: creditBudgets.monthly, used: creditKeyMonths.used })
      .from(creditBudgets)
      .leftJoin(
        creditKeyMonths,
        and(eq(creditKeyMonths.keyId, creditBudgets.keyId), eq(creditKeyMonths.month, at("month"))),
      )
      .where(eq(creditBudgets.keyId, at("keyId")))
      .prepare(),
  );
  const reservationOf = lazy(() =>
    orm
      .select()
      .from(creditReservations)
      .where(and(eq(creditReservations.userId, at("userId")), eq(creditReservations.request, at("request"))))
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
  const settled = lazy(() =>
    orm
      .select({ amount: creditLedger.amount })
      .from(creditLedger)
      .where(
        and(
          eq(creditLedger.userId, at("userId")),
          eq(creditLedger.request, at("request")),
          eq(creditLedger.item, at("item")),
          eq(creditLedger.kind, "settle"),
        ),
      )
      .prepare(),
  );

  const balance = (userId: string): number => balanceOf().get({ userId })?.balance ?? 0;

  function add(entry: LedgerEntry): void {
    insert().run({ ...noDetails, ...entry });
  }

  /** False when the ledger has an entry of this user, request, item and kind already. */
  function addOnce(entry: LedgerEntry): boolean {
    return insertOnce().all({ ...noDetails, ...entry }).length > 0;
  }

  function budget(keyId: string, now: number): { monthly: number; used: number } | null {
    const found = budgetOf().get({ keyId, month: monthOf(now) });
    return found === undefined ? null : { monthly: found.monthly, used: found.used ?? 0 };
  }

  /** Why the amount can't be taken; null when it can. */
  function lack({ userId, keyId, amount, at: now }: Pick<ReserveCredits, "userId" | "keyId" | "amount" | "at">) {
    const refused = (by: Exhausted["by"], remaining: number): Exhausted => ({
      kind: "exhausted",
      by,
      remaining: Math.max(0, remaining),
      required: amount,
    });
    const limit = keyId === null ? null : budget(keyId, now);
    if (limit !== null && limit.used + amount > limit.monthly) return refused("budget", limit.monthly - limit.used);
    const available = balance(userId);
    return available < amount ? refused("balance", available) : null;
  }

  function reserve(request: ReserveCredits): ReserveOutcome {
    const { id, entryId, userId, amount, at: now, ...rest } = request;
    const existing = reservationOf().get({ userId, request: request.request });
    if (existing !== undefined && existing.heldUntil !== null) {
      holdAnew().run({ id: existing.id, held: existing.held, heldUntil: rest.heldUntil });
      return { kind: "reserved", id: existing.id, balance: balance(userId) };
    }
    const lacking = lack(request);
    if (lacking !== null) return refused(userId, lacking, now);
    const { heldUntil, jobId, ...named } = rest;
    if (existing === undefined) insertReservation().run({ id, userId, jobId, held: amount, heldUntil, ...named });
    else holdAnew().run({ id: existing.id, held: amount, heldUntil });
    add({ id: entryId, userId, kind: "reserve", amount: -amount, note: null, createdAt: now, ...named });
    tellOfDebit(userId, amount, now);
    return { kind: "reserved", id: existing?.id ?? id, balance: balance(userId) };
  }

  function settle({ reservationId, items, releaseId, closes, at: now }: SettleCredits): SettleOutcome {
    const reservation = reservationById().get({ id: reservationId });
    if (reservation === undefined || reservation.heldUntil === null) return { kind: "void" };
    const { userId, held, heldUntil, request, purpose, keyId } = reservation;
    const named = { userId, request, purpose, keyId, note: null, createdAt: now };
    let charged = 0;
    for (const { entryId, item, amount } of items)
      if (addOnce({ ...named, id: entryId, kind: "settle", amount: -amount, item })) charged += amount;
    if (charged > held) throw new Error(`Expected to settle at most the ${held} credits that are held, got ${charged}`);
    const released = closes ? held : charged;
    if (released > 0) add({ ...named, id: releaseId, kind: "release", amount: released });
    if (closes || charged > 0)
      holdAnew().run({ id: reservationId, held: held - released, heldUntil: closes ? null : heldUntil });
    if (charged > 0) tellOfSearch(userId, purpose, charged, now);
    return { kind: "settled", charged, balance: balance(userId) };
  }

  /** What an item of a request has cost by now. */
  function costOf(userId: string, request: string, item: string): number {
    return -(settled().get({ userId, request, item })?.amount ?? 0);
  }

  function charge({ entryId, amount, at: now, ...named }: ChargeCredits): ChargeOutcome {
    const item = "all";
    const isRepeated = settled().get({ userId: named.userId, request: named.request, item }) !== undefined;
    const lacking = isRepeated ? null : lack({ ...named, amount, at: now });
    if (lacking !== null) return refused(named.userId, lacking, now);
    if (!isRepeated && amount > 0) {
      add({ ...named, id: entryId, kind: "settle", amount: -amount, item, note: null, createdAt: now });
      tellOfDebit(named.userId, amount, now);
      tellOfSearch(named.userId, named.purpose, amount, now);
    }
    return { kind: "charged", balance: balance(named.userId) };
  }

  /** After credits were taken: of a balance that fell below the level of warning, or to nothing. */
  function tellOfDebit(userId: string, amount: number, at: number): void {
    const after = balance(userId);
    if (after >= lowBalance) return;
    if (after <= 0) tellOncePerDay("credits.exhausted", userId, after, at);
    else if (after + amount >= lowBalance) tellOncePerDay("credits.low", userId, after, at);
  }

  function refused(userId: string, lacking: Exhausted, at: number): Exhausted {
    if (lacking.by === "balance") tellOncePerDay("credits.exhausted", userId, lacking.remaining, at);
    return lacking;
  }

  // Reservations come and go around the level, and who is refused tries again.
  function tellOncePerDay(type: "credits.low" | "credits.exhausted", userId: string, left: number, at: number): void {
    const told = events.lastTold(userId, type);
    if (told === null || told <= at - dayMs) events.append({ type, userId, at, data: { balance: left } });
  }

  function tellOfSearch(userId: string, purpose: string, creditsUsed: number, at: number): void {
    if (purpose === "search") events.append({ type: "prospect.searched", userId, at, data: { creditsUsed } });
  }

  return { balance, add, addOnce, budget, lack, reserve, settle, costOf, charge, tellOfDebit };
}

const dayMs = 86_400_000;
const noDetails = { purpose: null, request: null, item: null, keyId: null };

/** Year * 100 + month, in UTC. */
function monthOf(at: number): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}
