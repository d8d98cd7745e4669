import type { Database } from "bun:sqlite";
import { prepared } from "./prepared.ts";
import type { Reader } from "./reader.ts";

/**
 * Number of 4 KiB pages in the write-ahead log that triggers a checkpoint. With a smaller number, the same pages are moved
 * more often, and commits wait for the disk each time.
 */
const pagesToMove = 2048;
/** Reading the state of the log takes several microseconds, so not every commit does it. */
const commitsBetweenLooks = 16;
/**
 * From this length on (32 MiB), the log should start over: otherwise it would grow during continuous writes, and syncing a
 * growing file takes 1.5 times as long as overwriting one. It starts over once all pages have been moved. The reader thread
 * never catches up with a busy writer, so the writer moves the last pages, about those of one commit.
 */
const pagesToBeginAnew = 8192;
const lastPages = 256;
/** Attempts of the reader thread to get close enough, before the log may grow by the same length again. */
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
  // A failed checkpoint is repeated by a later call, or by the writer when the log gets too long.
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
