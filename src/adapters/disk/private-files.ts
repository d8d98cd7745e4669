import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Everything that this process creates is readable by its own user only: new files are 0600, new directories 0700. */
export const privateUmask = 0o077;

const othersMask = 0o077;
/** Without the group: see `closeDirectory`. */
const worldMask = 0o007;

/**
 * Takes access to a directory away from other users, whatever mode it was created with, and to everything in it if the
 * directory was open; `files` in it are checked in any case. Returns whether the directory was open. Throws if it can't be closed.
 */
export function restrictAccess(directory: string, files: readonly string[]): boolean {
  // Windows has no modes; access is inherited from the parent directory.
  if (process.platform === "win32") return false;
  const wasOpen = closeDirectory(directory);
  // Nobody reaches what lies in a closed directory, so only one that was open is walked.
  if (wasOpen) closeEntries(directory);
  else for (const file of files) close(join(directory, file));
  return wasOpen;
}

/**
 * The root of a volume may belong to another user and be open to our group (Kubernetes, `fsGroup`). It stays as it is if
 * only that group has access, because what is in it is closed.
 */
function closeDirectory(directory: string): boolean {
  const { mode } = statSync(directory);
  if ((mode & othersMask) === 0) return false;
  try {
    chmodSync(directory, mode & 0o700);
  } catch (error) {
    if ((mode & worldMask) !== 0) throw error;
  }
  return true;
}

function closeEntries(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    close(path);
    if (entry.isDirectory()) closeEntries(path);
  }
}

function close(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // The mode of a symbolic link is that of its target, which the operator chose.
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & othersMask) === 0) return;
  chmodSync(path, stats.mode & 0o700);
}
