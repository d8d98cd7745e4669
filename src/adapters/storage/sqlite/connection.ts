import type { Database } from "bun:sqlite";
import type { Connection } from "../../../lib/group-commit/connection.ts";
import { setSynchronous } from "./synchronous.ts";

/**
 * Returns the connection for a `Writer`. Statements are prepared once: compiling them costs as much as a small write.
 * `checkpoint` is called after commits and returns the number of commits until its next call.
 */
export function sqliteConnection(database: Database, checkpoint: () => number = () => Infinity): Connection {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const setSavepoint = database.prepare("SAVEPOINT unit");
  const releaseSavepoint = database.prepare("RELEASE unit");
  const rollbackToSavepoint = database.prepare("ROLLBACK TO unit");
  const changes = database.prepare<{ changes: number }, []>("SELECT total_changes() AS changes");
  let commitsToCheckpoint = 1;
  return {
    begin() {
      // A `SharedRead` of this turn of the event loop is still open.
      if (database.inTransaction) commit.run();
      begin.run();
    },
    commit: () => void commit.run(),
    rollback: () => void rollback.run(),
    setSavepoint: () => void setSavepoint.run(),
    releaseSavepoint: () => void releaseSavepoint.run(),
    rollbackToSavepoint: () => void rollbackToSavepoint.run(),
    get isInTransaction() {
      return database.inTransaction;
    },
    countChanges: () => changes.get()!.changes,
    waitForDisk: (isWaiting) => setSynchronous(database, isWaiting ? "FULL" : "NORMAL"),
    maintain() {
      if (--commitsToCheckpoint <= 0) commitsToCheckpoint = checkpoint();
    },
  };
}
