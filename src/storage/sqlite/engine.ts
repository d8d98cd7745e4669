import type { Database } from "bun:sqlite";
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
  const writer = new Writer(database, checkpointing(database, reader));
  return { orm: drizzle(database), database, reader, writer, shared: new SharedRead(database, writer), phoneRegion };
}

/**
 * So many pages of 4 KiB may wait in the write-ahead log before they are moved into the file: the fewer at a time, the
 * more often the same pages are moved, and with each move commits wait for the disk.
 */
const pagesToMove = 2048;
/** A look at the log costs some microseconds, so not every commit takes one. */
const commitsBetweenLooks = 16;

type LogState = { log: number; checkpointed: number };

/** After a commit: has the reader thread make a checkpoint when it is time, so that no commit has to wait for one. */
function checkpointing(database: Database, reader: Reader): () => void {
  const look = database.prepare<LogState, []>("PRAGMA wal_checkpoint(NOOP)");
  let commits = 0;
  let isUnderWay = false;
  return () => {
    if (isUnderWay || ++commits % commitsBetweenLooks !== 0) return;
    const state = look.get();
    if (state === null || state.log - state.checkpointed < pagesToMove) return;
    isUnderWay = true;
    // One that failed is made by a later call, or by the writer itself when the log gets too long.
    reader
      .checkpoint()
      .catch(() => undefined)
      .finally(() => (isUnderWay = false));
  };
}
