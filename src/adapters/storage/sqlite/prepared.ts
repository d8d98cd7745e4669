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

/** Rows per statement; the largest size that fits is used. */
const sizes = [64, 16, 4, 1];

/** Inserts many rows with each statement: one at a time, each would cost about twice as much. */
export class RowInserter {
  readonly #database: Database;
  readonly #into: string;
  readonly #columns: number;
  /** By size, compiled on first use: the larger ones are rarely needed right after the start. */
  readonly #statements = new Map<number, Statement>();

  /** `into`: the statement up to VALUES, such as "INSERT INTO notes (a, b)". */
  constructor(database: Database, into: string, columns: number) {
    this.#database = database;
    this.#into = into;
    this.#columns = columns;
  }

  /** `values`: those of all rows, row after row. */
  insert(values: readonly SQLQueryBindings[]): void {
    if (values.length % this.#columns !== 0) throw new TypeError("The last row is incomplete");
    let from = 0;
    for (const size of sizes)
      for (let to = from + size * this.#columns; to <= values.length; to = from + size * this.#columns) {
        this.#statementOf(size).run(...values.slice(from, to));
        from = to;
      }
  }

  #statementOf(size: number): Statement {
    const known = this.#statements.get(size);
    if (known !== undefined) return known;
    const row = `(${Array.from({ length: this.#columns }, () => "?").join(", ")})`;
    const rows = Array.from({ length: size }, () => row).join(", ");
    const statement = this.#database.prepare(`${this.#into} VALUES ${rows}`);
    this.#statements.set(size, statement);
    return statement;
  }
}

/** Runs `create` on first use and returns the same result from then on: for drizzle queries, which are slow to build. */
export function lazy<T>(create: () => T): () => T {
  let created: { value: T } | null = null;
  return () => (created ??= { value: create() }).value;
}
