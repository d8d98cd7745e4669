import type { TimePlace } from "../../platform/base/time-place.ts";
import type {
  BudgetOutcome,
  ChargeCredits,
  ChargeOutcome,
  RefundCredits,
  RefundOutcome,
  ReserveCredits,
  ReserveOutcome,
  SettleCredits,
  SettleOutcome,
} from "./change-model.ts";
import type { CreditBudget, LedgerEntry, LedgerKind } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type LedgerFilter = {
  workspaceId: WorkspaceId;
  kind: LedgerKind | null;
  createdFrom: number | null;
  createdTo: number | null;
};
export type LedgerPageRequest = LedgerFilter & { limit: number; after: TimePlace | null };

export type CreditStore = {
  /** Adds the entry and returns the new balance. */
  add(entry: LedgerEntry): Promise<number>;
  /** Adds the entry, unless the balance would fall below zero: then returns "exhausted" and changes nothing. */
  adjust(entry: LedgerEntry): Promise<ChargeOutcome>;
  /** Adds the entries whose user, request, item, and kind are not in the ledger yet; returns how many. */
  addOnce(entries: LedgerEntry[]): Promise<number>;
  /** Users created before `createdBefore` who have no entry for this request, at most `limit`. */
  usersWithout(request: string, createdBefore: number, limit: number): Promise<string[]>;
  balance(workspaceId: WorkspaceId): Promise<number>;
  /** Credits held by open reservations. */
  reserved(workspaceId: WorkspaceId): Promise<number>;
  /** Newest first, at most `limit`. */
  page(request: LedgerPageRequest): Promise<LedgerEntry[]>;
  /** Number of entries across all pages, counted up to 10,000. */
  countEntries(filter: LedgerFilter): Promise<number>;

  /**
   * Moves the amount from the balance into a reservation. If the request already has an open reservation, returns it
   * unchanged; if that was released, reserves the amount again.
   */
  reserve(request: ReserveCredits): Promise<ReserveOutcome>;
  /** Charges items against the reservation, each once. Safe to repeat. */
  settle(request: SettleCredits): Promise<SettleOutcome>;
  /** Charges the amount immediately, once per request. Safe to repeat. */
  charge(request: ChargeCredits): Promise<ChargeOutcome>;
  /** Refunds the charge of an item, once. */
  refund(request: RefundCredits): Promise<RefundOutcome>;
  /**
   * IDs of abandoned reservations, at most `limit`: open ones whose job has ended, or that have no job and expired
   * before `heldBefore`.
   */
  abandoned(heldBefore: number, limit: number): Promise<string[]>;

  /**
   * Sets the monthly budget of the key; null removes it. A budget set by an admin is the maximum that the owner can
   * set; a higher value changes nothing and returns "beyond".
   */
  setBudget(keyId: string, monthly: number | null, by: "admin" | "owner"): Promise<BudgetOutcome>;
  budget(keyId: string, at: number): Promise<CreditBudget | null>;
};
