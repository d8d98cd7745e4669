import type { Database } from "bun:sqlite";
import { prepared } from "./prepared.ts";
import type { Reader } from "./reader.ts";

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

/**
 * Returns a function to call between transactions. It lets the reader thread run a checkpoint once the log is long enough,
 * so that no commit has to wait for one, and returns the number of commits until its next call.
 */
export function createCheckpoint(database: Database, reader: Reader): () => number {
  const look = prepared<LogState, []>(database, "PRAGMA wal_checkpoint(NOOP)");
  const moveHere = prepared(database, "PRAGMA wal_checkpoint(PASSIVE)");
  let isRunning = false;
  let commitsToNext = commitsBetweenLooks;
  let anewFrom = pagesToBeginAnew;
  let tries = 0;
  // One that failed is made by a later call, or by the writer itself when the log gets too long.
  const move = () => {
    isRunning = true;
    reader
      .checkpoint()
      .catch(() => undefined)
      .finally(() => (isRunning = false));
  };
  return () => {
    if (isRunning) return commitsToNext;
    commitsToNext = commitsBetweenLooks;
    const state = look.get();
    if (state === null) return commitsToNext;
    const left = state.log - state.checkpointed;
    if (state.log < anewFrom) {
      tries = 0;
      if (state.log < pagesToBeginAnew) anewFrom = pagesToBeginAnew;
      if (left >= pagesToMove) move();
    } else if (left <= lastPages) moveHere.all();
    else if (++tries <= maxTries) {
      // The last pages are few only right after the move.
      commitsToNext = 1;
      move();
    } else anewFrom = state.log + pagesToBeginAnew;
    return commitsToNext;
  };
}
