import { setSynchronous } from "./synchronous.ts";
import { Database } from "bun:sqlite";

/**
 * Opens a database file for reading and writing, durably: an acknowledged commit survives a power cut
 * (write-ahead log, synchronous=FULL).
 */
export function openDatabase(path: string): Database {
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  tune(database);
  setSecureDelete(database, "FAST");
  database.run("PRAGMA journal_mode = WAL");
  setSynchronous(database, "FULL");
  database.run("PRAGMA foreign_keys = ON");
  // 256 MiB: the last resort, for a commit waits for it. The reader thread makes checkpoints long before, but for what a
  // backup that is under way still reads: that is moved when it is done.
  database.run("PRAGMA wal_autocheckpoint = 65536");
  database.run("PRAGMA journal_size_limit = 67108864"); // a log that grew once gives its space back
  return database;
}

/** Opens the same file beside the writer, for reading only. */
export function openForReading(path: string): Database {
  const database = new Database(path, { readonly: true, strict: true });
  tune(database);
  return database;
}

/** Opens the file only to move the write-ahead log into it, beside the writer and without waiting for it. */
export function openForCheckpoints(path: string): Database {
  const database = new Database(path, { readwrite: true });
  tune(database);
  database.run("PRAGMA synchronous = FULL");
  return database;
}

const busyTimeoutMs = 5000;

/** How long a statement waits for another connection that holds the file. */
export function setBusyTimeout(database: Database, ms = busyTimeoutMs): void {
  database.run(`PRAGMA busy_timeout = ${ms}`);
}

/** What is deleted is overwritten: FAST, where the page is written anyway; ON, everywhere. It costs no reader anything. */
export function setSecureDelete(database: Database, how: "FAST" | "ON"): void {
  database.run(`PRAGMA secure_delete = ${how}`);
}

function tune(database: Database): void {
  // First of all: another connection may hold the file for a moment, for example while it closes.
  setBusyTimeout(database);
  database.run("PRAGMA cache_size = -8192"); // 8 MiB, where the default of 2 MiB reads index pages again and again
  database.run("PRAGMA temp_store = MEMORY");
}
