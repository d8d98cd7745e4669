import { chownSync, closeSync, fchownSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents, without access for other users, if necessary. What root creates in another user's
 * folder gets that owner, as SQLite does with its own files; otherwise, the server that runs as that user could not use
 * it.
 */
export function makeOwnedFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined || !isRoot()) return;
  const { uid, gid } = statSync(dirname(first));
  for (let made = path; made.length >= first.length; made = dirname(made)) chownSync(made, uid, gid);
}

/** The same for a file created in a folder. */
export function giveToOwner(file: number, folder: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(folder);
  fchownSync(file, uid, gid);
}

/** Syncs a file, or the entries of a folder, to disk. A file created in `folder` gets the owner of the folder first. */
export function syncPath(path: string, folder: string | null = null): void {
  const file = openSync(path, "r");
  try {
    if (folder !== null) giveToOwner(file, folder);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
