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

/** After a commit: has the reader thread make a checkpoint when it is time, so that no commit has to wait for one. */
export function checkpointing(database: Database, reader: Reader): () => void {
  const look = prepared<LogState, []>(database, "PRAGMA wal_checkpoint(NOOP)");
  const moveHere = prepared(database, "PRAGMA wal_checkpoint(PASSIVE)");
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
