import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes everything that this process creates readable only by its own user: new files are 0600, new directories 0700.
 */
export const privateUmask = 0o077;

const othersMask = 0o077;
/** Without the group; see `closeDirectory`. */
const worldMask = 0o007;

/**
 * Removes other users' access to a directory, whatever mode it was created with, and to everything in it if the
 * directory was open. `files` in it are always checked. Returns whether the directory was open. Throws if access cannot
 * be removed.
 */
export function restrictAccess(directory: string, files: readonly string[]): boolean {
  // Windows has no modes; access is inherited from the parent directory.
  if (process.platform === "win32") return false;
  const wasOpen = closeDirectory(directory);
  // The content of a closed directory is unreachable, so only an open one is traversed.
  if (wasOpen) closeEntries(directory);
  else for (const file of files) close(join(directory, file));
  return wasOpen;
}

/**
 * The root of a volume may belong to another user and be open to our group (Kubernetes, `fsGroup`). It is left
 * unchanged if only that group has access, because its content is closed.
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
  // A symbolic link has the mode of its target, which the operator chose.
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & othersMask) === 0) return;
  chmodSync(path, stats.mode & 0o700);
}
