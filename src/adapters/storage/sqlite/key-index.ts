import { KeyIndex, type KeyStorage } from "../../../lib/key-index/key-index.ts";
import type { Engine } from "./engine.ts";
import { prepared, RowInserter } from "./prepared.ts";

/** `table` has the columns `key` and `row`; its log is the table with `_log` appended. `firstRow`: see `KeyIndex`. */
export type IndexedRows = { table: string; row: string; firstRow?: () => number };

/** Creates the index of the rows of a table. Entries are added inside write units. */
export function createKeyIndex(
  { database, writer }: Pick<Engine, "database" | "writer">,
  { table, row, firstRow }: IndexedRows,
): KeyIndex {
  // Plain statements: they run three times for each row of an import, and drizzle would double their cost.
  const rows = prepared<unknown, [number]>(database, `SELECT ${row} FROM ${table} WHERE key = ?`);
  const rowsAfter = prepared<unknown, [number, number, number]>(
    database,
    `SELECT ${row} FROM ${table} WHERE key = ? AND ${row} > ? ORDER BY ${row} LIMIT +?`,
  );
  const keysAfter = prepared<unknown, [number, number]>(
    database,
    `SELECT key FROM ${table} WHERE key > ? ORDER BY key LIMIT ?`,
  );
  const inserter = new RowInserter(database, `INSERT OR IGNORE INTO ${table} (key, ${row})`, 2);
  const remove = prepared(database, `DELETE FROM ${table} WHERE key = ? AND ${row} = ?`);
  const append = prepared(database, `INSERT INTO ${table}_log (n, entries) VALUES (?, ?)`);
  const log = prepared(database, `SELECT n, entries FROM ${table}_log`);
  const forget = prepared(
    database,
    `DELETE FROM ${table}_log WHERE n IN (SELECT n FROM ${table}_log WHERE n <= ? ORDER BY n LIMIT ?)`,
  );
  const storage: KeyStorage = {
    rows: (key) => (rows.values(key) as [number][]).flat(),
    rowsAfter: (key, after, limit) => (rowsAfter.values(key, after, limit) as [number][]).flat(),
    keysAfter: (after, limit) => (keysAfter.values(after, limit) as [number][]).flat(),
    insert: (pairs) => inserter.insert(pairs),
    remove: (key, of) => void remove.run(key, of),
    append: (n, entries) => void append.run(n, entries),
    log: () => log.values() as [number, Uint8Array][],
    forget: (n, limit) => forget.run(n, limit).changes,
  };
  const index = new KeyIndex({
    storage,
    write: (unit) => writer.write(unit),
    onAdded: () => writer.join(participant),
    ...(firstRow && { firstRow }),
  });
  // One entry in the log for all units of a transaction, no matter how many rows they store.
  const participant = { beforeCommit: () => index.write(), rolledBack: () => index.takeBack() };
  return index;
}
