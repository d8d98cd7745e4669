import type { Database, Statement } from "bun:sqlite";

/**
 * One read transaction for all lookups in a turn of the event loop. A transaction for each would cost several times as
 * much as finding a row, because of its locks. The connection ends it when a write starts.
 */
export class SharedRead {
  readonly #database: Database;
  readonly #begin: Statement;
  readonly #end: Statement;
  #isOpen = false;

  constructor(database: Database) {
    this.#database = database;
    this.#begin = database.prepare("BEGIN");
    this.#end = database.prepare("COMMIT");
  }

  /** Runs `look`, which must be synchronous and must not write. */
  read<T>(look: () => T): T {
    if (!this.#database.inTransaction) {
      this.#begin.run();
      this.#isOpen = true;
      setImmediate(() => this.end());
    }
    return look();
  }

  /** Called before work that cannot be done inside a transaction. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // SQLite ends it on some disk faults.
    if (this.#database.inTransaction) this.#end.run();
  }
}
