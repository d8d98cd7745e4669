import type { Database } from "bun:sqlite";
import { termRules } from "../../../features/prospecting/facets/terms.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { openEngine } from "../sqlite/engine.ts";
import { completeLeadKeys } from "../sqlite/complete-lead-keys.ts";
import { migrations, schemaOf } from "../sqlite/migrate.ts";
import { openDatabase, openForReading } from "../sqlite/open.ts";
import { copiedTables } from "./copied-tables.ts";
import type { CopySource } from "./sides.ts";
import { sqliteRows, tuneForCopy } from "./sqlite-rows.ts";

/**
 * Opens the database file of a data directory that this process has locked. First writes to it what servers have put off:
 * keys of leads, and the index of prospects. Throws `StartError` if another version has written it, or a simulation.
 */
export async function openSqliteSource(path: string, shown: string): Promise<CopySource> {
  await settle(path, shown);
  const database = openForReading(path);
  tuneForCopy(database);
  const prepared = new Set<string>();
  // One moment for all tables, although nothing should write.
  database.run("BEGIN");
  return {
    shown,
    rows: (table, after) => sqliteRows(database, table, after, prepared),
    estimate: async () =>
      copiedTables.reduce((sum, { name, sqlite }) => sum + estimateOf(database, sqlite.table ?? name), 0),
    close: async () => database.close(),
  };
}

/** The highest number of a row, which takes no time, or a count. */
function estimateOf(database: Database, table: string): number {
  // The numbers of prospects contain that of their owner; a page has 336 entries.
  if (table === "prospects")
    return database.query<{ n: number }, []>("SELECT ifnull(sum(prospects), 0) AS n FROM prospect_directories").get()!
      .n;
  const { n } = database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!;
  return table === "prospect_key_pages" ? n * 336 : n;
}

async function settle(path: string, shown: string): Promise<void> {
  const database = openDatabase(path);
  let owners: { owner: number }[];
  try {
    if (schemaOf(database, migrations) !== "current")
      throw new StartError(`The database in ${shown} was written by another version of outreachd.`, {
        hint: "Start the server of this version on it once, which upgrades it, or copy it with that version.",
      });
    if (database.query("SELECT 1 FROM simulation").get() !== null)
      throw new StartError(`The database in ${shown} is a simulation.`, { hint: "Simulations cannot be copied." });
    completeLeadKeys(database);
    owners = database
      .query<{ owner: number }, [number]>(
        `SELECT owner FROM prospect_directories AS directory WHERE rules <> ? OR indexed_to < next_number
         OR EXISTS (SELECT 1 FROM prospect_changes WHERE prospect_changes.owner = directory.owner)`,
      )
      .all(termRules);
  } finally {
    database.close();
  }
  if (owners.length === 0) return;
  const engine = openEngine(path);
  try {
    for (const { owner } of owners) await engine.prospectIndex.flush(owner);
  } finally {
    await engine.prospectIndex.close();
    engine.writer.close();
    await engine.reader.close();
    engine.shared.end();
    engine.database.close();
  }
}
