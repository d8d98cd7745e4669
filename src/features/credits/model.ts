import { Type, type Static } from "@sinclair/typebox";

export const ledgerKinds = ["grant", "reserve", "settle", "release", "refund", "adjust"] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** What credits are spent on. */
export const creditPurposes = ["enrichment", "search"] as const;
export type CreditPurpose = (typeof creditPurposes)[number];

/**
 * One movement of credits; positive adds. The balance of a user is the sum of the amounts.
 * `request` names what it belongs to; with an `item`, there is one entry of a kind for the two, ever.
 */
export type LedgerEntry = {
  id: string;
  userId: string;
  kind: LedgerKind;
  amount: number;
  note: string | null;
  createdAt: number;
  purpose?: CreditPurpose | null;
  request?: string | null;
  item?: string | null;
  /** The key that the request was sent with. */
  keyId?: string | null;
};

/** What a key may take in a month, and what it took in this one. */
export type CreditBudget = { keyId: string; monthly: number; used: number };

/** The place behind which a page of the ledger begins. */
export type LedgerPlace = { createdAt: number; id: string };

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const LedgerEntryView = Type.Object(
  {
    id: Type.String(),
    kind: Type.Union(ledgerKinds.map((kind) => Type.Literal(kind))),
    amount: Type.Integer({ description: "Positive adds to the balance, negative takes from it." }),
    purpose: Type.Union([...creditPurposes.map((purpose) => Type.Literal(purpose)), Type.Null()]),
    request: Type.Union([Type.String(), Type.Null()], {
      description: "What it belongs to: entries of one request have the same.",
    }),
    item: Type.Union([Type.String(), Type.Null()], { description: "The item of the request that was charged." }),
    keyId: Type.Union([Type.String(), Type.Null()], { description: "The key that the request was sent with." }),
    note: textOrNull,
    createdAt: Type.String({ format: "date-time" }),
  },
  {
    $id: "LedgerEntry",
    description:
      "A movement of credits. reserve holds what a request may cost; settle is what an item cost; release gives back what was held; grant, refund and adjust are what they say.",
  },
);
export type LedgerEntryView = Static<typeof LedgerEntryView>;

export const CreditBudgetView = Type.Object(
  {
    keyId: Type.String(),
    monthly: Type.Integer({ description: "Credits that the key may take in a calendar month (UTC)." }),
    used: Type.Integer({ description: "Credits that it took in this month, with what is held for it now." }),
    remaining: Type.Integer(),
  },
  { $id: "CreditBudget", description: "How much of its user's credits a key may spend." },
);
export type CreditBudgetView = Static<typeof CreditBudgetView>;

export const CreditsView = Type.Object(
  {
    balance: Type.Integer({ description: "What can be spent now." }),
    reserved: Type.Integer({ description: "What requests under way hold; it comes back unless they spend it." }),
    monthlyGrant: Type.Integer({ description: "Granted at the start of each month." }),
    costs: Type.Object({
      enrichment: Type.Integer({ description: "For a lead that an enrichment brought something new for." }),
      search: Type.Integer({ description: "For a prospect that a search returned." }),
    }),
    budget: Type.Union([CreditBudgetView, Type.Null()], { description: "Of the key of this request; null = none." }),
  },
  { $id: "Credits" },
);
export type CreditsView = Static<typeof CreditsView>;

/** Below this many credits a user is warned: a tenth of what a new user is granted unless that is set. */
export const lowBalance = 100;
