/**
 * The database connection that a `Writer` owns. All methods are synchronous and throw the database's error. Savepoints do
 * not nest.
 */
export type Connection = {
  /** Starts a transaction that may write, and ends one that only reads. */
  begin(): void;
  commit(): void;
  rollback(): void;
  setSavepoint(): void;
  releaseSavepoint(): void;
  /** Undoes everything since the savepoint, which stays open. */
  rollbackToSavepoint(): void;
  /** False after the database itself has ended the transaction, as some do on a full disk. */
  readonly isInTransaction: boolean;
  /** A number that grows with each row that was written. */
  countChanges(): number;
  /** Whether the next commits wait until they are on disk. Not called inside a transaction. */
  waitForDisk(isWaiting: boolean): void;
  /** Called after each commit, once the promises of its units have settled: time for a checkpoint. Must not throw. */
  maintain(): void;
};
