import { Type, type Static } from "@sinclair/typebox";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export const ledgerKinds = ["grant", "reserve", "settle", "release", "refund", "adjust"] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** What credits can be spent on. */
export const creditPurposes = ["enrichment", "search"] as const;
export type CreditPurpose = (typeof creditPurposes)[number];

/**
 * A change to a user's credits; positive amounts add. The balance is the sum of all amounts. `request` identifies the
 * request that caused the change; request, item, and kind together are unique.
 */
export type LedgerEntry = {
  id: string;
  workspaceId: WorkspaceId;
  kind: LedgerKind;
  amount: number;
  note: string | null;
  createdAt: number;
  purpose?: CreditPurpose | null;
  request?: string | null;
  item?: string | null;
  /** API key of the request. */
  keyId?: string | null;
};

/** Monthly credit limit of a key, and its usage this month. */
export type CreditBudget = { keyId: string; monthly: number; used: number };

/** Position after which a ledger page starts. */
export type LedgerPlace = { createdAt: number; id: string };

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const LedgerEntryView = Type.Object(
  {
    id: Type.String(),
    kind: Type.Union(ledgerKinds.map((kind) => Type.Literal(kind))),
    amount: Type.Integer({ description: "Positive amounts add to the balance; negative amounts reduce it." }),
    purpose: Type.Union([...creditPurposes.map((purpose) => Type.Literal(purpose)), Type.Null()]),
    request: Type.Union([Type.String(), Type.Null()], {
      description: "Identifier of the request. All entries of a request share it.",
    }),
    item: Type.Union([Type.String(), Type.Null()], { description: "Item of the request that was charged." }),
    keyId: Type.Union([Type.String(), Type.Null()], { description: "API key of the request." }),
    note: textOrNull,
    createdAt: Type.String({ format: "date-time" }),
  },
  {
    $id: "LedgerEntry",
    description:
      "A change to the credit balance. `reserve` holds the maximum cost of a request, `settle` charges an item, and `release` returns the unused part of a reservation. `grant`, `refund`, and `adjust` are made by an admin or by the monthly grant.",
  },
);
export type LedgerEntryView = Static<typeof LedgerEntryView>;

export const CreditBudgetView = Type.Object(
  {
    keyId: Type.String(),
    monthly: Type.Integer({ description: "Credits the key can spend per calendar month (UTC)." }),
    used: Type.Integer({ description: "Credits spent this month, including active reservations." }),
    remaining: Type.Integer(),
  },
  { $id: "CreditBudget", description: "Monthly limit on the credits that a key can spend." },
);
export type CreditBudgetView = Static<typeof CreditBudgetView>;

export const CreditsView = Type.Object(
  {
    balance: Type.Integer({ description: "Credits available to spend." }),
    reserved: Type.Integer({ description: "Credits reserved by requests in progress. Unused credits are returned." }),
    monthlyGrant: Type.Integer({ description: "Credits granted at the start of each month." }),
    costs: Type.Object({
      enrichment: Type.Integer({ description: "Credits per lead for which an enrichment found new data." }),
      search: Type.Integer({ description: "Credits per prospect returned by a search." }),
    }),
    budget: Type.Union([CreditBudgetView, Type.Null()], {
      description: "Budget of the key that sent this request. null if it has none.",
    }),
  },
  { $id: "Credits" },
);
export type CreditsView = Static<typeof CreditsView>;

/** Balance below which a user is warned: a tenth of the default grant for new users. */
export const lowBalance = 100;
