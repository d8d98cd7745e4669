import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { PhoneRegion } from "../../suppression/phone.ts";
import { openDatabase } from "./open.ts";
import { Reader } from "./reader.ts";
import { SharedRead } from "./shared-read.ts";
import { Writer } from "./writer.ts";

/** What every SQLite store works with. */
export type Engine = {
  /** For drizzle queries on the one connection of this thread. */
  orm: BunSQLiteDatabase;
  /** The same connection. */
  database: Database;
  writer: Writer;
  /** For look-ups that many requests make, with a statement or two. */
  shared: SharedRead;
  /** For reads that may take longer than the event loop can spare. */
  reader: Reader;
  /** Where phone numbers without a country code are from; null when nobody said so. */
  phoneRegion: PhoneRegion | null;
};

/** `database` is the file at `path`, where it is open already. */
export function openEngine(
  path: string,
  phoneRegion: PhoneRegion | null = null,
  database = openDatabase(path),
): Engine {
  const reader = new Reader(path);
  const writer = new Writer(database, checkpointing(path, reader));
  return { orm: drizzle(database), database, reader, writer, shared: new SharedRead(database, writer), phoneRegion };
}

/** The write-ahead log may grow to this before it is moved into the file, which costs more the more often it is done. */
const checkpointBytes = 8 * 1024 * 1024;
/** A look at the file's size costs some microseconds, so not every commit takes one. */
const commitsBetweenLooks = 16;

/** After a commit: has the reader thread make a checkpoint when it is time, so that no commit has to wait for one. */
function checkpointing(path: string, reader: Reader): () => void {
  let commits = 0;
  let isUnderWay = false;
  return () => {
    if (isUnderWay || ++commits % commitsBetweenLooks !== 0) return;
    if (sizeOf(`${path}-wal`) < checkpointBytes) return;
    isUnderWay = true;
    // One that failed is made by a later call, or by the writer itself when the log gets too long.
    reader
      .checkpoint()
      .catch(() => undefined)
      .finally(() => (isUnderWay = false));
  };
}

/** 0 also where it can't be told: the commit is made, and the next look is soon. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
