import { sql, type Placeholder, type SQL } from "drizzle-orm";

// SQLite compiles a statement anew on each run when the value of a bare parameter may change its plan: as a limit, and
// as the bound of a range in an index, together with what the index is searched by before. That takes 20 to 40 µs,
// longer than most queries. A parameter that is written `+?` is an expression, of which no plan depends on the value.

/** A named placeholder for `.limit()` or `.offset()`. */
export function limitOf(name: string): Placeholder {
  // drizzle takes any SQL here; its types name numbers and placeholders only.
  return valueOf(name) as unknown as Placeholder;
}

/** A named placeholder for what an index is searched by when a range, or an order, follows. */
export function valueOf(name: string): SQL {
  return sql`+${sql.placeholder(name)}`;
}
