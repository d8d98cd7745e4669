import { getTableColumns, sql, type Column, type InferInsertModel, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Connection } from "./engine.ts";
import { wellFormedJson } from "./json-rows.ts";

export type RowUpdate<Table extends PgTable> = {
  /** Value of the key column. */
  key: string | number;
  values: Partial<InferInsertModel<Table>>;
};

/**
 * Gives each row values of its own: one statement for all rows that change the same columns. Of several updates of one row,
 * the later ones win. Not for columns of bytes, which JSON has no values for.
 */
export async function updateRows<Table extends PgTable>(
  connection: Connection,
  table: Table,
  key: Column,
  updates: readonly RowUpdate<Table>[],
): Promise<void> {
  const merged = new Map<RowUpdate<Table>["key"], object>();
  for (const update of updates) merged.set(update.key, { ...merged.get(update.key), ...update.values });
  const columns: Record<string, Column> = getTableColumns(table);
  const rows = [...merged].map(([value, values]) => {
    const changed = Object.entries(values).filter(([, each]) => each !== undefined);
    return { value, changed, names: changed.map(([name]) => name).toSorted() };
  });
  for (const alike of Map.groupBy(rows, ({ names }) => names.join(" ")).values()) {
    const { names } = alike[0]!;
    if (names.length === 0) continue;
    const values = alike.map(({ value, changed }) =>
      Object.fromEntries([[key.name, value], ...changed.map(([name, each]) => [columns[name]!.name, each])]),
    );
    const newValue = ({ name }: Column): SQL => sql`updated.${sql.identifier(name)}`;
    await connection
      .update<PgTable>(table)
      .set(Object.fromEntries(names.map((name) => [name, newValue(columns[name]!)])))
      .from(sql`json_populate_recordset(NULL::${table}, ${wellFormedJson(values)}::json) AS updated`)
      .where(sql`${key} = ${newValue(key)}`);
  }
}
