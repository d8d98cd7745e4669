/** Jobs of one type that wait. */
export type QueueDepth = {
  type: string;
  waiting: number;
  /** Those whose time has come. */
  due: number;
  /** Null when none is due. */
  oldestDueAt: number | null;
};

/** Movements of credits by kind, up to the entry `last`. */
export type CreditMovements = { sums: { kind: string; amount: number }[]; last: number };

export type MetricsStore = {
  /** Of each type that has waiting jobs. Reads each of them once, beside the event loop: to be asked for seldom. */
  queue(now: number): Promise<QueueDepth[]>;
  /** The newest entry of the ledger. */
  lastCredit(): Promise<number>;
  /** Movements behind the entry `after`, of at most `limit` entries, oldest first. */
  credits(after: number, limit: number): Promise<CreditMovements>;
  /** Bytes of the database and of its write-ahead log. */
  sizes(): { database: number; log: number };
  /** Names the one listener that hears of every group commit: of how many writes, and for how long. */
  onCommit(listener: (writes: number, seconds: number) => void): void;
};
