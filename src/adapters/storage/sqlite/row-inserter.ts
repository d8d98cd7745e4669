import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

/** How many rows one statement inserts; the most that fit are taken. */
const sizes = [64, 16, 4, 1];

/** Inserts rows many a statement: alone each costs about twice as much. */
export class RowInserter {
  readonly #database: Database;
  readonly #into: string;
  readonly #columns: number;
  /** By size, made with their first use: the larger ones are rarely wanted by who has just started. */
  readonly #statements = new Map<number, Statement>();

  /** `into` is what stands before VALUES, such as "INSERT INTO notes (a, b)", of so many columns. */
  constructor(database: Database, into: string, columns: number) {
    this.#database = database;
    this.#into = into;
    this.#columns = columns;
  }

  /** The values of all rows, one row after the other. */
  insert(values: readonly SQLQueryBindings[]): void {
    if (values.length % this.#columns !== 0) throw new TypeError("The last row is not whole");
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
