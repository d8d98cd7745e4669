import { sql, type Placeholder, type SQL } from "drizzle-orm";

// SQLite compiles a statement again on each run if the value of a bare parameter may change its plan: a limit, the bound
// of a range in an index, and the index columns before that range. Compiling takes 20 to 40 µs, longer than most
// queries. A parameter written as `+?` is an expression, whose value no plan depends on.

/** A named placeholder for `.limit()` or `.offset()`. */
export function limitOf(name: string): Placeholder {
  // drizzle takes any SQL here; its types name numbers and placeholders only.
  return valueOf(name) as unknown as Placeholder;
}

/** A named placeholder for an index column that is followed by a range or an order. */
export function valueOf(name: string): SQL {
  return sql`+${sql.placeholder(name)}`;
}

/** A named placeholder for the new value of a column. Passes it on unchanged: as 0 or 1, or as JSON text. */
export function newValueOf(name: string): SQL {
  return sql`${sql.placeholder(name)}`;
}
