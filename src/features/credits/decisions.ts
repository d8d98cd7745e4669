import type { Decision } from "../../platform/base/decision.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import type {
  BudgetLimit,
  BudgetOutcome,
  ChargeCredits,
  ChargeOutcome,
  Exhausted,
  RefundCredits,
  RefundOutcome,
  Reservation,
  ReserveCredits,
  ReserveOutcome,
  SettleCredits,
  SettleOutcome,
} from "./change-model.ts";
import { lowBalance, type CreditPurpose, type LedgerEntry } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** What an item of a request was charged; `amount` is negative, as in the ledger. */
export type SettledItem = { amount: number; purpose: CreditPurpose | null; keyId: string | null };

/** What decisions may ask of the store: synchronous and read-only. */
export type CreditFacts = {
  balance(workspaceId: WorkspaceId): number;
  /** Null if the key has no budget. */
  limit(keyId: string): BudgetLimit | null;
  /** What the key has spent in a month (see `monthOf`), including open reservations. */
  used(keyId: string, month: number): number;
  reservation(id: string): Reservation | null;
  reservationOf(workspaceId: WorkspaceId, request: string): Reservation | null;
  settled(workspaceId: WorkspaceId, request: string, item: string): SettledItem | null;
  isRefunded(workspaceId: WorkspaceId, request: string, item: string): boolean;
  /** Time of the user's latest event of this type; null if there is none. */
  lastEventAt(workspaceId: WorkspaceId, type: BalanceWarning): number | null;
};

export type CreditChange =
  /** The balance of the user, and what its key has used this month, change with the entry. */
  | { kind: "entry"; entry: LedgerEntry }
  | { kind: "open"; reservation: Reservation }
  | { kind: "hold"; id: string; held: number; heldUntil: number | null }
  /** null removes the budget. */
  | { kind: "budget"; keyId: string; limit: BudgetLimit | null }
  | { kind: "event"; event: NewEvent };

type Decided<Outcome> = Decision<Outcome, CreditChange>;
type BalanceWarning = "credits.low" | "credits.exhausted";
type Debit = Pick<ReserveCredits, "workspaceId" | "keyId" | "amount" | "at">;

const warningIntervalMs = 86_400_000;
/** The item of a charge that is not divided into items. */
const wholeCharge = "all";

/** If the request already holds credits, it keeps them for longer and takes no more. */
export function decideReserve(request: ReserveCredits, facts: CreditFacts): Decided<ReserveOutcome> {
  const { id, entryId, jobId, heldUntil, amount, at, ...named } = request;
  const { workspaceId } = named;
  const existing = facts.reservationOf(workspaceId, named.request);
  if (existing !== null && existing.heldUntil !== null)
    return {
      outcome: { kind: "reserved", id: existing.id, balance: facts.balance(workspaceId) },
      changes: [{ kind: "hold", id: existing.id, held: existing.held, heldUntil }],
    };
  const refusal = refusalOf(request, facts);
  if (refusal !== null) return refused(request, refusal, facts);
  const balance = facts.balance(workspaceId) - amount;
  const entry = { ...named, id: entryId, kind: "reserve", amount: -amount, note: null, createdAt: at } as const;
  return {
    outcome: { kind: "reserved", id: existing?.id ?? id, balance },
    changes: [
      existing === null
        ? { kind: "open", reservation: { ...named, id, jobId, held: amount, heldUntil } }
        : { kind: "hold", id: existing.id, held: amount, heldUntil },
      { kind: "entry", entry },
      ...warningsOf(request, balance, facts),
    ],
  };
}

/**
 * Credits that are charged were taken from the balance when they were reserved: the ledger releases them from the
 * reservation in the same step.
 */
export function decideSettle(request: SettleCredits, facts: CreditFacts): Decided<SettleOutcome> {
  const { reservationId, items, releaseId, closes, at } = request;
  const reservation = facts.reservation(reservationId);
  if (reservation === null || reservation.heldUntil === null) return { outcome: { kind: "void" }, changes: [] };
  const { workspaceId, held, heldUntil, purpose, keyId } = reservation;
  const entryOf = (of: Pick<LedgerEntry, "id" | "kind" | "amount" | "item">): CreditChange => ({
    kind: "entry",
    entry: { ...of, workspaceId, request: reservation.request, purpose, keyId, note: null, createdAt: at },
  });
  const isNew = (item: string) => facts.settled(workspaceId, reservation.request, item) === null;
  const newItems = [...firstOfEach(items)].filter(({ item }) => isNew(item));
  const charged = newItems.reduce((sum, { amount }) => sum + amount, 0);
  if (charged > held) throw new Error(`Expected to settle at most the ${held} credits that are held, got ${charged}`);
  const released = closes ? held : charged;

  const changes = newItems.map(({ entryId: id, item, amount }) =>
    entryOf({ id, kind: "settle", amount: -amount, item }),
  );
  if (released > 0) changes.push(entryOf({ id: releaseId, kind: "release", amount: released }));
  if (closes || charged > 0)
    changes.push({ kind: "hold", id: reservationId, held: held - released, heldUntil: closes ? null : heldUntil });
  changes.push(...searchEvents({ workspaceId, purpose, amount: charged, at }));
  return { outcome: { kind: "settled", charged, balance: facts.balance(workspaceId) + released - charged }, changes };
}

export function decideCharge(request: ChargeCredits, facts: CreditFacts): Decided<ChargeOutcome> {
  const { entryId, amount, at, ...named } = request;
  const { workspaceId } = named;
  const isRepeated = facts.settled(workspaceId, named.request, wholeCharge) !== null;
  const refusal = isRepeated ? null : refusalOf(request, facts);
  if (refusal !== null) return refused(request, refusal, facts);
  if (isRepeated || amount === 0)
    return { outcome: { kind: "charged", balance: facts.balance(workspaceId) }, changes: [] };
  const balance = facts.balance(workspaceId) - amount;
  const entry = { ...named, id: entryId, kind: "settle", amount: -amount, item: wholeCharge } as const;
  return {
    outcome: { kind: "charged", balance },
    changes: [
      { kind: "entry", entry: { ...entry, note: null, createdAt: at } },
      ...warningsOf(request, balance, facts),
      ...searchEvents(request),
    ],
  };
}

/** An adjustment may take credits, but never more than there are. */
export function decideAdjustment(entry: LedgerEntry, facts: CreditFacts): Decided<ChargeOutcome> {
  const { workspaceId, amount, createdAt: at } = entry;
  const debit = { workspaceId, keyId: null, amount: -amount, at };
  const refusal = amount < 0 ? refusalOf(debit, facts) : null;
  if (refusal !== null) return { outcome: refusal, changes: [] };
  const balance = facts.balance(workspaceId) + amount;
  const warnings = amount < 0 ? warningsOf(debit, balance, facts) : [];
  return { outcome: { kind: "charged", balance }, changes: [{ kind: "entry", entry }, ...warnings] };
}

export function decideRefund(request: RefundCredits, facts: CreditFacts): Decided<RefundOutcome> {
  const { entryId, at, ...named } = request;
  const { workspaceId, item } = named;
  const settled = facts.settled(workspaceId, named.request, item);
  if (settled === null) return { outcome: { kind: "absent" }, changes: [] };
  if (facts.isRefunded(workspaceId, named.request, item)) return { outcome: { kind: "refundedBefore" }, changes: [] };
  const { purpose, keyId } = settled;
  const amount = -settled.amount;
  const entry = { ...named, id: entryId, kind: "refund", amount, purpose, keyId, createdAt: at } as const;
  return {
    outcome: { kind: "refunded", balance: facts.balance(workspaceId) + amount },
    changes: [{ kind: "entry", entry }],
  };
}

/** The budget that an admin sets is also the most that the owner of the key can set. */
export function decideBudget(
  { keyId, monthly, by }: { keyId: string; monthly: number | null; by: "admin" | "owner" },
  facts: Pick<CreditFacts, "limit">,
): Decided<BudgetOutcome> {
  const ceiling = by === "admin" ? monthly : (facts.limit(keyId)?.ceiling ?? null);
  if (ceiling !== null && (monthly ?? Infinity) > ceiling) return { outcome: { kind: "beyond", ceiling }, changes: [] };
  const limit = monthly === null ? null : { monthly, ceiling };
  return { outcome: { kind: "set" }, changes: [{ kind: "budget", keyId, limit }] };
}

/** Budgets are monthly, in UTC. Returns year * 100 + month. */
export function monthOf(at: number): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Null if the amount can be taken. */
function refusalOf({ workspaceId, keyId, amount, at }: Debit, facts: CreditFacts): Exhausted | null {
  const limit = keyId === null ? null : facts.limit(keyId);
  const left = keyId === null || limit === null ? Infinity : limit.monthly - facts.used(keyId, monthOf(at));
  if (amount > left) return { kind: "exhausted", by: "budget", remaining: Math.max(0, left), required: amount };
  const balance = facts.balance(workspaceId);
  if (amount <= balance) return null;
  return { kind: "exhausted", by: "balance", remaining: Math.max(0, balance), required: amount };
}

function refused({ workspaceId, at }: Debit, refusal: Exhausted, facts: CreditFacts): Decided<Exhausted> {
  const { by, remaining } = refusal;
  return {
    outcome: refusal,
    changes: by === "balance" ? oncePerDay("credits.exhausted", workspaceId, remaining, at, facts) : [],
  };
}

/** After a debit that empties the balance or takes it below the warning level. */
function warningsOf({ workspaceId, amount, at }: Debit, balance: number, facts: CreditFacts): CreditChange[] {
  if (balance >= lowBalance) return [];
  if (balance <= 0) return oncePerDay("credits.exhausted", workspaceId, balance, at, facts);
  return balance + amount >= lowBalance ? oncePerDay("credits.low", workspaceId, balance, at, facts) : [];
}

/** Reservations take the balance below the level and back many times a day, and refused requests are repeated. */
function oncePerDay(
  type: BalanceWarning,
  workspaceId: WorkspaceId,
  balance: number,
  at: number,
  facts: CreditFacts,
): CreditChange[] {
  const last = facts.lastEventAt(workspaceId, type);
  if (last !== null && last > at - warningIntervalMs) return [];
  return [{ kind: "event", event: { type, workspaceId, at, data: { balance } } }];
}

function searchEvents({ workspaceId, purpose, amount, at }: Omit<Debit, "keyId"> & { purpose: CreditPurpose }) {
  if (purpose !== "search" || amount === 0) return [];
  const event: NewEvent = { type: "prospect.searched", workspaceId, at, data: { creditsUsed: amount } };
  return [{ kind: "event" as const, event }];
}

function firstOfEach(items: SettleCredits["items"]): Iterable<SettleCredits["items"][number]> {
  const byItem = new Map<string, SettleCredits["items"][number]>();
  for (const each of items) if (!byItem.has(each.item)) byItem.set(each.item, each);
  return byItem.values();
}
