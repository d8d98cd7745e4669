import type { Database } from "bun:sqlite";
import { mergePlan, type MergedTable } from "../../../../features/workspaces/merge/plan.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

/** A workspace, with the number by which large tables know it. */
export type Side = { id: WorkspaceId; owner: number };
export type Sides = { from: Side; into: Side };

/** Tables of a directory of prospects. */
export const directoryTables = ["prospect_companies", "prospect_changes", "prospect_terms", "prospect_directories"];

/** Counts of other tables, which are made anew. */
export const countedAnew: Readonly<Record<string, string>> = {
  lead_counts: "INSERT INTO lead_counts SELECT owner, status, count(*) FROM leads WHERE owner = ? GROUP BY status",
  suppression_counts: `INSERT INTO suppression_counts (owner, kind, entries)
    SELECT owner, kind, count(*) FROM suppressions WHERE owner = ? GROUP BY kind`,
};

/** What is known newer about the same. */
const newer: Partial<Record<MergedTable, string>> = {
  email_verdicts: `INSERT INTO email_verdicts (owner, key, provider, confidence, at)
    SELECT ?2, key, provider, confidence, at FROM email_verdicts WHERE owner = ?1
    ON CONFLICT DO UPDATE SET confidence = excluded.confidence, at = excluded.at WHERE excluded.at > at`,
};

const sums: Partial<Record<MergedTable, string>> = {
  credit_balances: `INSERT INTO credit_balances SELECT ?2, balance FROM credit_balances WHERE workspace_id = ?1
    ON CONFLICT DO UPDATE SET balance = balance + excluded.balance`,
};

/** Merges the rows of a table about which nothing has to be decided. */
export function mergeRows(database: Database, table: MergedTable, { from, into }: Sides): void {
  const column = ownerColumn(database, table);
  const [gone, kept] = column === "owner" ? [from.owner, into.owner] : [from.id, into.id];
  const move = (conflict: string) =>
    database.run(`UPDATE ${conflict} ${table} SET ${column} = ?2 WHERE ${column} = ?1`, [gone, kept]);
  const remove = (value: string | number) => database.run(`DELETE FROM ${table} WHERE ${column} = ?`, [value]);
  switch (mergePlan[table]) {
    case "move":
      move("");
      return;
    case "moveUnlessKnown":
      move("OR IGNORE");
      remove(gone);
      return;
    case "moveNewer":
      database.run(newer[table]!, [gone, kept]);
      remove(gone);
      return;
    case "add":
      database.run(sums[table]!, [gone, kept]);
      remove(gone);
      return;
    case "learn":
      remove(gone);
      remove(kept);
      return;
    case "decide":
    case "keep":
  }
}

export function countAnew(database: Database, { from, into }: Sides): void {
  for (const [table, statement] of Object.entries(countedAnew)) {
    database.run(`DELETE FROM ${table} WHERE owner IN (?, ?)`, [from.owner, into.owner]);
    database.run(statement, [into.owner]);
  }
}

export function countOf(database: Database, table: string, { id, owner }: Side): number {
  const column = ownerColumn(database, table);
  const row = database.query<{ n: number }, [string | number]>(
    `SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`,
  );
  return row.get(column === "owner" ? owner : id)?.n ?? 0;
}

/** The rows would be deleted together with the workspace. */
export function requireNothingLeft(database: Database, from: Side): void {
  const merged = Object.entries(mergePlan).filter(([, policy]) => policy !== "keep");
  const tables = [...merged.map(([table]) => table), ...directoryTables, ...Object.keys(countedAnew)];
  for (const table of tables)
    if (countOf(database, table, from) > 0) throw new Error(`The merge has left rows in ${table}`);
}

function ownerColumn(database: Database, table: string): "owner" | "workspace_id" {
  const found = database
    .query<{ name: "owner" | "workspace_id" }, [string]>(
      "SELECT name FROM pragma_table_info(?) WHERE name IN ('owner', 'workspace_id')",
    )
    .get(table);
  if (found === null) throw new Error(`The table ${table} has no owner`);
  return found.name;
}
