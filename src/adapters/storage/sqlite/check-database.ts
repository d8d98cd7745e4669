import { Database } from "bun:sqlite";
import { refuseUnknown } from "../applied-migrations.ts";
import { appliedMigrations, migrations } from "./migrate.ts";
import { namedBlobs } from "./named-blobs.ts";

/** Where a look at a database that may be damaged is wanted; its file is not changed. */
export function openToCheck(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  return database;
}

/** What is wrong with the pages of the database, at most ten findings. `full` also compares every index with its table. */
export function integrityProblems(database: Database, full: boolean): string[] {
  const pragma = full ? "integrity_check" : "quick_check";
  try {
    const rows = database.query<Record<string, string>, []>(`PRAGMA ${pragma}(10)`).all();
    return rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Rows that point at nothing, at most ten. */
export function danglingRows(database: Database): string[] {
  return database
    .query<{ table: string; rowid: number | null; parent: string }, []>("PRAGMA foreign_key_check")
    .all()
    .slice(0, 10)
    .map(({ table, rowid, parent }) => `row ${rowid ?? "?"} of ${table} points at nothing in ${parent}`);
}

/** Migrations that this program has and the database has not. Throws `StartError` when it is the other way round. */
export function pendingMigrations(database: Database): string[] {
  const applied = appliedMigrations(database);
  refuseUnknown(applied, migrations);
  const numbers = new Set(applied.map(({ number }) => number));
  return migrations.filter(({ number }) => !numbers.has(number)).map(({ name }) => name);
}

/** Names of blobs that rows name, with whether they must be there. */
export function blobsNamed(database: Database, now: number): Map<string, boolean> {
  return new Map(namedBlobs(database, now).map(({ name, required }) => [name, required]));
}
