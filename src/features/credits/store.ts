import type { TimePlace } from "../../platform/base/time-place.ts";
import type { CreditBudget, CreditPurpose, LedgerEntry, LedgerKind } from "./model.ts";

export type ReserveCredits = {
  /** Of the reservation if it is new, and of the ledger entry. */
  id: string;
  entryId: string;
  userId: string;
  /** The user's own name of what is paid for: one reservation a request. */
  request: string;
  purpose: CreditPurpose;
  amount: number;
  keyId: string | null;
  /** The job that does the work; null when the process itself does, which loses the reservation with its life. */
  jobId: string | null;
  /** Not given back by itself before. */
  heldUntil: number;
  at: number;
};

/** budget: the key's; balance: the user's. `remaining` is what that one still has. */
export type Exhausted = { kind: "exhausted"; by: "balance" | "budget"; remaining: number; required: number };
export type ReserveOutcome = { kind: "reserved"; id: string; balance: number } | Exhausted;

export type SettleCredits = {
  reservationId: string;
  /** Each with the id of its entry. The sum of the amounts must not exceed what is held. */
  items: { entryId: string; item: string; amount: number }[];
  /** Of the entry that gives back what is no longer held. */
  releaseId: string;
  /** Give back all that is left, and end the reservation. */
  closes: boolean;
  at: number;
};
/** void: the reservation was given back before, so nothing was charged. `charged` leaves out items settled earlier. */
export type SettleOutcome = { kind: "settled"; charged: number; balance: number } | { kind: "void" };

export type ChargeCredits = Omit<ReserveCredits, "id" | "jobId" | "heldUntil">;
export type ChargeOutcome = { kind: "charged"; balance: number } | Exhausted;

export type RefundCredits = {
  entryId: string;
  userId: string;
  request: string;
  item: string;
  note: string | null;
  at: number;
};
export type RefundOutcome = { kind: "refunded"; balance: number } | { kind: "absent" } | { kind: "refundedBefore" };

export type LedgerFilter = {
  userId: string;
  kind: LedgerKind | null;
  createdFrom: number | null;
  createdTo: number | null;
};
export type LedgerPageRequest = LedgerFilter & { limit: number; after: TimePlace | null };

export type BudgetOutcome = { kind: "set" } | { kind: "beyond"; ceiling: number };

export type CreditStore = {
  /** Adds the entry and answers the new balance. */
  add(entry: LedgerEntry): Promise<number>;
  /** Adds the entry unless the balance would fall below zero; then "exhausted", and nothing is changed. */
  adjust(entry: LedgerEntry): Promise<ChargeOutcome>;
  /** Adds those entries whose user, request, item and kind are not in the ledger yet; answers how many. */
  addOnce(entries: LedgerEntry[]): Promise<number>;
  /** Users who came before `createdBefore` and have no entry of this request, at most `limit`. */
  usersWithout(request: string, createdBefore: number, limit: number): Promise<string[]>;
  balance(userId: string): Promise<number>;
  /** What reservations hold. */
  reserved(userId: string): Promise<number>;
  /** Newest first, at most `limit`. */
  page(request: LedgerPageRequest): Promise<LedgerEntry[]>;
  /** As many as `page` gives on all pages, counted up to 10,000. */
  countEntries(filter: LedgerFilter): Promise<number>;

  /**
   * Takes the amount out of the balance and holds it. The reservation that the request has already is answered as it
   * is if it is open, and holds the amount anew if it was given back.
   */
  reserve(request: ReserveCredits): Promise<ReserveOutcome>;
  /** Charges items, each once, out of what is held. Safe to repeat. */
  settle(request: SettleCredits): Promise<SettleOutcome>;
  /** Takes the amount at once, once a request. Safe to repeat. */
  charge(request: ChargeCredits): Promise<ChargeOutcome>;
  /** Gives back what an item was charged, once. */
  refund(request: RefundCredits): Promise<RefundOutcome>;
  /**
   * Open reservations whose work nobody does any more: of jobs that have ended, and those without a job held until
   * before `heldBefore`. At most `limit` ids.
   */
  abandoned(heldBefore: number, limit: number): Promise<string[]>;

  /**
   * What the key took in the month of `at` is counted against `monthly`; null takes the budget away. What an admin sets
   * is as much as the owner may set then: beyond, nothing is changed.
   */
  setBudget(keyId: string, monthly: number | null, by: "admin" | "owner"): Promise<BudgetOutcome>;
  budget(keyId: string, at: number): Promise<CreditBudget | null>;
};
