import { Database } from "bun:sqlite";
import { join } from "node:path";

export const databaseName = "outreachd.db";

const patienceMs = 20_000;

/** The database of a service that may be running: waits while the service writes. Hold it with `using`. */
export function openLiveDatabase(dataDir: string, { readonly = false } = {}): Database {
  const database = new Database(join(dataDir, databaseName), { readonly, readwrite: !readonly, strict: true });
  database.run(`PRAGMA busy_timeout = ${patienceMs}`);
  return database;
}
