import type { Changes, Database, SQLQueryBindings, Statement } from "bun:sqlite";

/**
 * A raw statement that SQLite compiles on first use. The stores define about 250 of them, and compiling them all would
 * take longer than half of the remaining start.
 */
export class Prepared<Row = unknown, Parameters extends SQLQueryBindings[] = SQLQueryBindings[]> {
  readonly #database: Database;
  readonly #sql: string;
  #compiled: Statement<Row, Parameters> | null = null;

  constructor(database: Database, sql: string) {
    this.#database = database;
    this.#sql = sql;
  }

  /** The first row; null if there is none. */
  get(...parameters: Parameters): Row | null {
    return this.#statement.get(...parameters);
  }

  all(...parameters: Parameters): Row[] {
    return this.#statement.all(...parameters);
  }

  /** All rows as arrays of their columns. */
  values(...parameters: Parameters): ReturnType<Statement["values"]> {
    return this.#statement.values(...parameters);
  }

  iterate(...parameters: Parameters): IterableIterator<Row> {
    return this.#statement.iterate(...parameters);
  }

  run(...parameters: Parameters): Changes {
    return this.#statement.run(...parameters);
  }

  finalize(): void {
    this.#compiled?.finalize();
  }

  get #statement(): Statement<Row, Parameters> {
    return (this.#compiled ??= this.#database.prepare<Row, Parameters>(this.#sql) as Statement<Row, Parameters>);
  }
}

/** See `Prepared`. */
export function prepared<Row = unknown, Parameters extends SQLQueryBindings[] = SQLQueryBindings[]>(
  database: Database,
  sql: string,
): Prepared<Row, Parameters> {
  return new Prepared<Row, Parameters>(database, sql);
}

/** Runs `create` on first use and returns the same result from then on: for drizzle queries, which are slow to build. */
export function lazy<T>(create: () => T): () => T {
  let created: { value: T } | null = null;
  return () => (created ??= { value: create() }).value;
}
