import { chownSync, closeSync, fchownSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, closed to others, if need be. What root makes in a folder of somebody else is theirs,
 * as SQLite has it with its own files: the server that runs as they do could not use it.
 */
export function makeOwnedFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined || !isRoot()) return;
  const { uid, gid } = statSync(dirname(first));
  for (let made = path; made.length >= first.length; made = dirname(made)) chownSync(made, uid, gid);
}

/** The same for a file that was made in a folder. */
export function giveToOwner(file: number, folder: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(folder);
  fchownSync(file, uid, gid);
}

/** Waits until a file, or what a folder lists, is on disk; a file that was made in `folder` goes to its owner first. */
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
