import type { CopiedTable } from "./copied-table.ts";
import { copyOut, type Copier } from "./postgres-copy.ts";
import { canonicalRows, decodeRow, type Value } from "./row-text.ts";
import type { Rows } from "./sides.ts";

const rowsAtOnce = 10_000;
/** Up to 8 KiB each, or so many that the garbage of larger pieces takes most of the memory of a backup. */
const wideRowsAtOnce = 1000;
const wideTables = [
  ...["prospect_postings", "idempotent_requests", "leads", "prospects", "events"],
  ...["jobs", "network_actions", "messages"],
];

/** Reads the rows of a table in the order of their key. */
export async function* postgresRows(
  connection: Copier,
  table: CopiedTable,
  after: string | null,
): AsyncGenerator<Rows, void, void> {
  const limit = wideTables.includes(table.name) ? wideRowsAtOnce : rowsAtOnce;
  for (let position = after; ;) {
    const pieces = await copyOut(connection, `${selectRows(table, position)} LIMIT ${limit}`);
    if (pieces.length === 0) return;
    const rows = rowsOf(table, pieces);
    yield rows;
    position = rows.after;
    if (pieces.length < limit) return;
  }
}

function rowsOf(table: CopiedTable, pieces: readonly Buffer[]): Rows {
  const { columns, key, postgres } = table;
  const last = decodeRow(columns, pieces.at(-1)!.toString("utf8").slice(0, -1));
  const position = (postgres.order ?? key).map((name) => last[columns.findIndex((column) => column.name === name)]!);
  return {
    lines: canonicalRows(columns, Buffer.concat(pieces)),
    count: pieces.length,
    after: `(${position.map(literalOf).join(", ")})`,
  };
}

function selectRows({ name, key, columns, postgres }: CopiedTable, after: string | null): string {
  const { from = name, where, read = {}, order = key } = postgres;
  const selected = columns.map((column) => read[column.name] ?? column.name).join(", ");
  const conditions = [
    ...(where === undefined ? [] : [where]),
    ...(after === null ? [] : [`(${order.join(", ")}) > ${after}`]),
  ];
  const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return `SELECT ${selected} FROM ${from}${condition} ORDER BY ${order.join(", ")}`;
}

/** COPY takes no parameters. */
function literalOf(value: Value): string {
  if (value === null || typeof value === "number") return String(value);
  return typeof value === "string"
    ? `'${value.replaceAll("'", "''")}'`
    : `'\\x${Buffer.from(value).toString("hex")}'::bytea`;
}
