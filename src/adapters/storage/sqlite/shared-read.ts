import type { Database, Statement } from "bun:sqlite";

/**
 * One read transaction for the look-ups of a turn of the event loop. Each alone would begin and end one of its own,
 * whose locks cost several times what it takes to find a row. The connection ends it when a write begins.
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

  /** What `look` finds, at once; it must be synchronous, and must not write. */
  read<T>(look: () => T): T {
    if (!this.#database.inTransaction) {
      this.#begin.run();
      this.#isOpen = true;
      setImmediate(() => this.end());
    }
    return look();
  }

  /** For what can't be done inside a transaction. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // SQLite ends it on some disk faults.
    if (this.#database.inTransaction) this.#end.run();
  }
}
