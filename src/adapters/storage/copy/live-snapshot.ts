import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { ServerDatabase, Snapshot } from "../../../features/backup/snapshot-store.ts";
import { openCopy, refuseNoRoom, removeSnapshot, snapshotPath } from "../sqlite/snapshot.ts";
import { copyRows, type CopyStep } from "./copy-rows.ts";
import { partialCopyOf, removePartialCopy } from "./partial-copy.ts";
import { openLiveSource } from "./postgres-source.ts";
import { openSqliteTarget } from "./sqlite-target.ts";

/**
 * Copies a database on PostgreSQL, as of one moment and while servers use it, to an embedded one in a file beside `path`.
 * The file exists until `close`. A leftover of a crash is replaced. `onProgress` gets the share that is done, from 0 to 1;
 * whatever it throws ends the copy.
 */
export async function takeLiveSnapshot(
  { url, shown, ...options }: ServerDatabase,
  path: string,
  now: number,
  onProgress: (share: number) => void,
): Promise<Snapshot> {
  removeLiveSnapshot(path);
  const copy = snapshotPath(path);
  const source = await openLiveSource(url, shown, options);
  try {
    refuseNoRoom(dirname(path), await source.bytes());
    closeSync(openSync(partialCopyOf(copy), "wx", 0o600)); // SQLite would let others read it
    const target = openSqliteTarget(copy, { shown: copy, from: shown, now, isDisposable: true });
    try {
      await copyRows(source, target, async (step) => onProgress(shareOf(step)));
      await target.complete();
    } finally {
      await target.close();
    }
    return openCopy(copy, new Database(copy, { readonly: true, strict: true }), now);
  } catch (error) {
    removeLiveSnapshot(path);
    throw error;
  } finally {
    await source.close();
  }
}

/** Reading the copy again takes a fraction of the time of making it. */
function shareOf({ phase, rows, total }: CopyStep): number {
  const done = total === 0 ? 0 : Math.min(1, rows / total);
  return phase === "copy" ? 0.7 * done : phase === "build" ? 0.7 : 0.7 + 0.3 * done;
}

/** Removes what a process left that was killed during a backup. */
export function removeLiveSnapshot(path: string): void {
  removeSnapshot(path);
  removePartialCopy(snapshotPath(path));
}
