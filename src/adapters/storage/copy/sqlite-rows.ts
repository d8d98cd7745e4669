import type { Database } from "bun:sqlite";
import { keyEntriesAfter } from "./key-entries.ts";
import type { CopiedTable } from "./copied-table.ts";
import { encodeRows } from "./row-text.ts";
import type { Rows } from "./sides.ts";

const rowsAtOnce = 2000;
/** Containers and prospects can be large: about 4 MB. */
const wideRowsAtOnce = 500;
const wideTables = ["prospect_postings", "prospects", "idempotent_requests"];

/** For temporary tables, which are larger than those of a server. */
export function tuneForCopy(database: Database): void {
  database.run("PRAGMA temp_store = FILE");
  database.run("PRAGMA temp.cache_size = -32768"); // 32 MiB
}

/** Reads the rows of a table in the order of their key. `prepared`: tables that need no further preparation. */
export async function* sqliteRows(
  database: Database,
  table: CopiedTable,
  after: string | null,
  prepared: Set<string>,
): AsyncGenerator<Rows, void, void> {
  if (table.sqlite.isKeyRuns === true) return yield* keyEntriesAfter(database, table.columns, after);
  if (!prepared.has(table.name)) for (const statement of table.sqlite.prepare ?? []) database.run(statement);
  prepared.add(table.name);
  const limit = wideTables.includes(table.name) ? wideRowsAtOnce : rowsAtOnce;
  const first = database.prepare(selectRows(table, false));
  const next = database.prepare(selectRows(table, true));
  let position = after === null ? null : positionIn(after);
  for (;;) {
    const rows =
      position === null
        ? (first.values(limit) as unknown[][])
        : (next.values(...(position as string[]), limit) as unknown[][]);
    const last = rows.at(-1);
    if (last === undefined) return;
    position = last.slice(table.columns.length);
    yield { lines: encodeRows(table.columns, rows), count: rows.length, after: shownPosition(position) };
    if (rows.length < limit) return;
  }
}

/** The columns, and then what orders the rows. */
function selectRows({ name, key, columns, sqlite }: CopiedTable, isContinued: boolean): string {
  const { table = name, from = table, where, read = {}, order = key } = sqlite;
  const selected = columns.map((column) => read[column.name] ?? column.name);
  const conditions = [
    ...(where === undefined ? [] : [where]),
    ...(isContinued ? [`(${order.join(", ")}) > (${order.map(() => "?").join(", ")})`] : []),
  ];
  const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return `SELECT ${[...selected, ...order].join(", ")} FROM ${from}${condition} ORDER BY ${order.join(", ")} LIMIT +?`;
}

function shownPosition(position: readonly unknown[]): string {
  return JSON.stringify(
    position.map((value) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value)),
  );
}

function positionIn(text: string): unknown[] {
  return (JSON.parse(text) as (string | number | { hex: string })[]).map((value) =>
    typeof value === "object" ? Buffer.from(value.hex, "hex") : value,
  );
}
