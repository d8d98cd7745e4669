import type { CommitMetrics } from "../../lib/group-commit/writer.ts";

/** Waiting jobs of one type. */
export type QueueDepth = {
  type: string;
  waiting: number;
  /** Jobs that are due. */
  due: number;
  /** Null if no job is due. */
  oldestDueAt: number | null;
};

/** Credit movements by kind, up to the entry `last`. */
export type CreditMovements = { sums: { kind: string; amount: number }[]; last: number };

/** pending: not tried yet; retrying: failed so far; failed: given up. */
export const backlogStates = ["pending", "retrying", "failed"] as const;
export type BacklogState = (typeof backlogStates)[number];

/**
 * Workspaces that were ever granted credits: how many have none left, how many have less than the level of the warning, and
 * all others; and the sum of all balances.
 */
export type CreditBalances = { empty: number; low: number; enough: number; total: number };

export type MetricsStore = {
  /** Balances of workspaces; `low` is below `lowBelow`. Reads a row of each, so call it rarely. */
  balances(lowBelow: number): Promise<CreditBalances>;
  /** Deliveries to webhooks that have not succeeded. `oldestEventAt`: null for `failed`. Reads them all, so call it rarely. */
  deliveries(): Promise<{ state: BacklogState; count: number; oldestEventAt: number | null }[]>;
  /** Number of network accounts in each state that any has. */
  accounts(): Promise<{ state: string; count: number }[]>;
  /** Queue depth of each type with waiting jobs. Reads every waiting job in a worker thread, so call it rarely. */
  queue(now: number): Promise<QueueDepth[]>;
  /** When the job that has been due for the longest time became due; null if no job is due. */
  oldestDueAt(now: number): Promise<number | null>;
  /** The latest entry of the ledger. */
  lastCredit(): Promise<number>;
  /** Movements after the entry `after`, at most `limit` entries, oldest first. */
  credits(after: number, limit: number): Promise<CreditMovements>;
  /** Size in bytes of the database and of its write-ahead log; null if the latter belongs to a database server. */
  sizes(): Promise<{ database: number; log: number | null }>;
  measureCommits(metrics: CommitMetrics): void;
};
