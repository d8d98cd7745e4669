import { Database } from "bun:sqlite";

/**
 * Opens a database file for reading and writing, durably: an acknowledged commit survives a power cut
 * (write-ahead log, synchronous=FULL).
 */
export function openDatabase(path: string): Database {
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  tune(database);
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA foreign_keys = ON");
  database.run("PRAGMA journal_size_limit = 67108864"); // a log that grew once gives its space back
  return database;
}

/** Opens the same file beside the writer, for reading only. */
export function openForReading(path: string): Database {
  const database = new Database(path, { readonly: true, strict: true });
  tune(database);
  return database;
}

function tune(database: Database): void {
  // First of all: another connection may hold the file for a moment, for example while it closes.
  database.run("PRAGMA busy_timeout = 5000");
  database.run("PRAGMA cache_size = -32768"); // 32 MiB, where the default of 2 MiB re-reads index pages
  database.run("PRAGMA mmap_size = 268435456");
  database.run("PRAGMA temp_store = MEMORY");
}
