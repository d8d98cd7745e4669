import type { CreditPurpose } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type ReserveCredits = {
  /** ID of the reservation if it is new; `entryId` is the ID of the ledger entry. */
  id: string;
  entryId: string;
  workspaceId: WorkspaceId;
  /** Identifier of the request, unique per user. Each request has at most one reservation. */
  request: string;
  purpose: CreditPurpose;
  amount: number;
  keyId: string | null;
  /**
   * Job that does the work; null if the process does it itself, in which case the reservation ends with the process.
   */
  jobId: string | null;
  /** Not released automatically before this time. */
  heldUntil: number;
  at: number;
};

/** `budget`: of the key; `balance`: of the user. `remaining` is what is left of it. */
export type Exhausted = { kind: "exhausted"; by: "balance" | "budget"; remaining: number; required: number };
export type ReserveOutcome = { kind: "reserved"; id: string; balance: number } | Exhausted;

export type SettleCredits = {
  reservationId: string;
  /** Items with the IDs of their ledger entries. The sum of the amounts must not exceed the reservation. */
  items: { entryId: string; item: string; amount: number }[];
  /** ID of the ledger entry that releases unused credits. */
  releaseId: string;
  /** Releases the rest and ends the reservation. */
  closes: boolean;
  at: number;
};
/**
 * `void`: the reservation had already been released, so nothing was charged. `charged` excludes items settled earlier.
 */
export type SettleOutcome = { kind: "settled"; charged: number; balance: number } | { kind: "void" };

export type ChargeCredits = Omit<ReserveCredits, "id" | "jobId" | "heldUntil">;
export type ChargeOutcome = { kind: "charged"; balance: number } | Exhausted;

export type RefundCredits = {
  entryId: string;
  workspaceId: WorkspaceId;
  request: string;
  item: string;
  note: string | null;
  at: number;
};
export type RefundOutcome = { kind: "refunded"; balance: number } | { kind: "absent" } | { kind: "refundedBefore" };

export type BudgetOutcome = { kind: "set" } | { kind: "beyond"; ceiling: number };

/** The credits that a request holds. Each request of a user has at most one reservation. */
export type Reservation = {
  id: string;
  workspaceId: WorkspaceId;
  request: string;
  purpose: CreditPurpose;
  keyId: string | null;
  jobId: string | null;
  /** Neither charged nor released yet. */
  held: number;
  /** null once the reservation has been released. */
  heldUntil: number | null;
};

/** Monthly limit of a key. */
export type BudgetLimit = {
  monthly: number;
  /** The highest limit that the owner of the key can set; null if no admin has set one. */
  ceiling: number | null;
};
