import type { Database } from "bun:sqlite";
import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncPath } from "../../disk/owned-folder.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { migrate, migrations } from "../sqlite/migrate.ts";
import { openDatabase } from "../sqlite/open.ts";
import { setSynchronous } from "../sqlite/synchronous.ts";
import type { CopiedTable } from "./copied-table.ts";
import { entriesOfRun, writeRun } from "./key-entries.ts";
import { partialCopyOf } from "./partial-copy.ts";
import { decodeRow, linesIn } from "./row-text.ts";
import type { CopyTarget, Loaded, Rows } from "./sides.ts";
import { buildSqlite, dropSecondary } from "./sqlite-build.ts";
import { sqliteRows, tuneForCopy } from "./sqlite-rows.ts";
import { SqliteState } from "./sqlite-state.ts";

const rowsOfBatch = 100_000;

export type SqliteTargetOptions = {
  shown: string;
  /** Identifies the source, so that an attempt that did not finish is continued only with the same one. */
  from: string;
  /** For the table of migrations. */
  now: number;
  /** The file is of no use after a crash, so it is filled without syncing and without a journal. */
  isDisposable?: boolean;
};

/** Fills a database file, under another name until it is complete. Throws `StartError`. */
export function openSqliteTarget(
  path: string,
  { shown, from, now, isDisposable = false }: SqliteTargetOptions,
): CopyTarget {
  const partial = partialCopyOf(path);
  const database = openDatabase(partial);
  setSynchronous(database, isDisposable ? "OFF" : "NORMAL");
  // Not WAL, whose log would be written in addition.
  if (isDisposable) database.run("PRAGMA journal_mode = MEMORY");
  tuneForCopy(database);
  const state = new SqliteState(database);
  try {
    if (state.exists) refuseOther(state, from, shown);
    else {
      migrate(database, migrations, now);
      database.transaction(() => {
        state.create(from);
        state.restore = dropSecondary(database);
        database.run("DELETE FROM audit_end");
      })();
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.run("PRAGMA foreign_keys = OFF");
  const prepared = new Set<string>();

  return {
    shown,
    loaded: async ({ name }) => state.loaded(name),
    load: (table, rows) => load(database, state, table, rows),
    build: (onStep) => buildSqlite(database, state, onStep),
    rows: (table) => sqliteRows(database, table, null, prepared),
    async complete() {
      if (isDisposable) {
        state.drop();
        database.close();
        return renameSync(partial, path);
      }
      setSynchronous(database, "FULL");
      database.run("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
      syncPath(partial, dirname(path));
      renameSync(partial, path);
      // Closing leaves them if a statement is still open. They are empty.
      for (const suffix of ["-wal", "-shm"]) rmSync(partial + suffix, { force: true });
      syncPath(dirname(path));
      // Last: without it, the next attempt would not know what the file contains.
      dropState(path);
    },
    close: async () => database.close(),
  };
}

function dropState(path: string): void {
  const database = openDatabase(path);
  try {
    new SqliteState(database).drop();
  } finally {
    database.close();
  }
}

function refuseOther(state: SqliteState, from: string, shown: string): void {
  if (state.source === from) return;
  throw new StartError(`The copy to ${shown} is not complete, and its source was ${state.source}.`, {
    hint: "To continue it, name the same source. To start over, add --replace.",
  });
}

async function load(
  database: Database,
  state: SqliteState,
  table: CopiedTable,
  rows: AsyncIterable<Rows>,
): Promise<void> {
  const insert = table.sqlite.isKeyRuns === true ? runWriter(database) : rowWriter(database, table);
  const progress: Loaded = { ...state.loaded(table.name) };
  let waiting = 0;
  const commit = (): void => {
    insert.end();
    state.note(table.name, progress);
    database.run("COMMIT");
    waiting = 0;
  };
  database.run("BEGIN");
  try {
    for await (const { lines, count, after } of rows) {
      for (const line of linesIn(lines)) insert.add(decodeRow(table.columns, line));
      progress.after = after;
      progress.rows += count;
      waiting += count;
      if (waiting < rowsOfBatch) continue;
      commit();
      database.run("BEGIN");
    }
    progress.isComplete = true;
    commit();
  } catch (error) {
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}

type RowWriter = { add(values: ReturnType<typeof decodeRow>): void; end(): void };

function rowWriter(database: Database, { name, columns, sqlite }: CopiedTable): RowWriter {
  const { table = name, write = Object.fromEntries(columns.map((column) => [column.name, `$${column.name}`])) } =
    sqlite;
  const into = `INSERT INTO ${table} (${Object.keys(write).join(", ")}) VALUES (${Object.values(write).join(", ")})`;
  const numberOf = new Map(columns.map((column, at) => [column.name, at + 1]));
  const statements = (sqlite.statements ?? [into]).map((statement) =>
    database.prepare(statement.replaceAll(/\$(\w+)/g, (_, column: string) => `?${numberOf.get(column)}`)),
  );
  return {
    add: (values) => {
      for (const statement of statements) statement.run(...values);
    },
    end() {},
  };
}

/** Collects the sorted keys of a directory and writes them as runs. */
function runWriter(database: Database): RowWriter {
  let owner = 0;
  let keys: number[] = [];
  let numbers: number[] = [];
  const end = (): void => {
    if (keys.length > 0) writeRun(database, owner, keys, numbers);
    [keys, numbers] = [[], []];
  };
  return {
    add(values) {
      const [ofOwner, key, number] = values as [number, number, number];
      if (ofOwner !== owner || keys.length === entriesOfRun) end();
      owner = ofOwner;
      keys.push(key);
      numbers.push(number);
    },
    end,
  };
}
