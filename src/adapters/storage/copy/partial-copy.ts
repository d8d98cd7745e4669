import { existsSync, rmSync } from "node:fs";

/** The file that a copy to a database file fills. */
export function partialCopyOf(path: string): string {
  return `${path}.copy`;
}

/** Whether a copy to this database file was not finished. */
export function hasPartialCopy(path: string): boolean {
  return existsSync(partialCopyOf(path));
}

export function removePartialCopy(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partialCopyOf(path) + suffix, { force: true });
}
