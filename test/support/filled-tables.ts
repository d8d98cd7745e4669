import type { Database } from "bun:sqlite";
import type { ColumnKind, CopiedTable } from "../../src/adapters/storage/copy/copied-table.ts";
import { copiedTables } from "../../src/adapters/storage/copy/copied-tables.ts";

/** A value for each kind of column, with what is easily lost on the way. */
const values: Record<ColumnKind, string> = {
  text: `'tab ' || char(9) || ' backslash \\N ' || char(10) || ' é 👋 ' || char(0) || ' end'`,
  whole: "2147483647",
  real: "0.1 + 0.2",
  flag: "1",
  json: `'{ "z": "\\u0000\\\\", "a": [1.50, null] }'`,
  object: `'{"z": "\\u0000 \\ud83d\\udc4b \\\\u0000", "a": [1e-7, 1.0, {"10": "\\t", "9": []}]}'`,
  bytes: "randomblob(16)",
};

/** Values that a constraint requires. */
const required: Record<string, Record<string, string>> = {
  audit_start: { only_one: "1" },
  campaigns: { state: "'draft'" },
  campaign_enrollments: { state: "'stopped'" },
  prospect_aliases: { seq: "4294967296 + 7", into_seq: "4294967296" },
  prospect_reveals: { seq: "4294967296" },
  // The index of prospects refers to its own numbers.
  prospect_import_rows: { prospect: "0" },
};

/** Adds a row to each table that has none. The rows mean nothing, so no server must run on them. */
export function fillEmptyTables(database: Database): void {
  database.run("PRAGMA foreign_keys = ON");
  for (const table of copiedTables) {
    const name = table.sqlite.table ?? table.name;
    if (database.query(`SELECT 1 FROM ${name} LIMIT 1`).get() !== null) continue;
    const columns = database.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${name}')`).all();
    const given = columns.map((column) => valueOf(database, table, name, column.name));
    database.run(
      `INSERT INTO ${name} (${columns.map((column) => column.name).join(", ")}) VALUES (${given.join(", ")})`,
    );
  }
}

function valueOf(database: Database, table: CopiedTable, name: string, column: string): string {
  const fixed = required[name]?.[column];
  if (fixed !== undefined) return fixed;
  const reference = database
    .query<{ table: string; to: string }, [string, string]>(
      `SELECT "table", "to" FROM pragma_foreign_key_list(?) WHERE "from" = ?`,
    )
    .get(name, column);
  if (reference !== null) return `(SELECT ${reference.to} FROM ${reference.table} LIMIT 1)`;
  if (column === "lead" && name === "lead_keys") return "(SELECT seq FROM leads LIMIT 1)";
  const kind = table.columns.find((each) => each.name === column)?.kind;
  return kind === undefined ? "0" : values[kind];
}
