import type { Database, Statement } from "bun:sqlite";

/**
 * Runs the look-ups of a turn of the event loop in one read transaction. Each alone begins and ends one of its own,
 * whose locks cost several times what it takes to find a row.
 */
export class SharedRead {
  readonly #begin: Statement;
  readonly #end: Statement;
  #waiting: { look: () => unknown; resolve: (found: unknown) => void; reject: (reason: unknown) => void }[] = [];

  constructor(database: Database) {
    this.#begin = database.prepare("BEGIN");
    this.#end = database.prepare("COMMIT");
  }

  /** `look` must be synchronous, and must not write. */
  read<T>(look: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ look, resolve: resolve as (found: unknown) => void, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#run());
    });
  }

  #run(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#begin.run();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { look, resolve, reject } of waiting) {
      try {
        resolve(look());
      } catch (error) {
        reject(error);
      }
    }
    this.#end.run();
  }
}
