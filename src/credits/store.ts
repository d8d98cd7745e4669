export const ledgerKinds = ["grant"] as const;

/** One movement of credits; positive adds. The balance of a user is the sum of the amounts. */
export type LedgerEntry = {
  id: string;
  userId: string;
  kind: (typeof ledgerKinds)[number];
  amount: number;
  note: string | null;
  createdAt: number;
};

export type CreditStore = {
  /** Adds the entry and answers the new balance. */
  add(entry: LedgerEntry): Promise<number>;
  balance(userId: string): Promise<number>;
};
