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
/**
 * From this length on (32 MiB) the log is to begin anew: else it would grow as long as somebody writes, and to sync a
 * file that grows takes half as long again as one that is written over. It begins anew once everything in it was moved.
 * The reader thread alone never catches up with those who write, so the writer moves the last pages, of about a commit.
 */
const pagesToBeginAnew = 8192;
const lastPages = 256;
/** Moves of the reader thread that may come close enough, before it is left for another such length. */
const maxTries = 3;

type LogState = { log: number; checkpointed: number };

/** After a commit: has the reader thread make a checkpoint when it is time, so that no commit has to wait for one. */
function checkpointing(database: Database, reader: Reader): () => void {
  const look = database.prepare<LogState, []>("PRAGMA wal_checkpoint(NOOP)");
  const moveHere = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let commitsToLook = commitsBetweenLooks;
  let isUnderWay = false;
  let anewFrom = pagesToBeginAnew;
  let tries = 0;
  // One that failed is made by a later call, or by the writer itself when the log gets too long.
  const move = () => {
    isUnderWay = true;
    reader
      .checkpoint()
      .catch(() => undefined)
      .finally(() => (isUnderWay = false));
  };
  return () => {
    if (isUnderWay || --commitsToLook > 0) return;
    commitsToLook = commitsBetweenLooks;
    const state = look.get();
    if (state === null) return;
    const left = state.log - state.checkpointed;
    if (state.log < anewFrom) {
      tries = 0;
      if (state.log < pagesToBeginAnew) anewFrom = pagesToBeginAnew;
      if (left >= pagesToMove) move();
    } else if (left <= lastPages) moveHere.all();
    else if (++tries <= maxTries) {
      commitsToLook = 1;
      move();
    } else anewFrom = state.log + pagesToBeginAnew;
  };
}
