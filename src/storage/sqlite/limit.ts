import { sql, type Placeholder } from "drizzle-orm";

/**
 * A named placeholder for `.limit()` or `.offset()`, written `+?`. SQLite compiles a statement anew on each run when a
 * bare parameter is the limit, because its value may change the plan; that takes longer than the query itself.
 */
export function limitOf(name: string): Placeholder {
  // drizzle takes any SQL here; its types name numbers and placeholders only.
  return sql`+${sql.placeholder(name)}` as unknown as Placeholder;
}
