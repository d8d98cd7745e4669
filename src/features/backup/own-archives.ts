import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { OwnArchives } from "./archive-store.ts";
import { installationOfArchive } from "./model.ts";
import type { ArchivePlace } from "./place.ts";

/**
 * Tells by its name whether an archive of a place is that of one installation: only those may be deleted unasked, because
 * other servers may keep theirs in the same place. A name without an id, of an earlier version, counts only in `ownFolder`,
 * the data directory's, and where that truly lies in it: a link leads to a place that others may share.
 */
export function ownArchives(installation: string | null, place: ArchivePlace, ownFolder: string): OwnArchives {
  return (name) => {
    const maker = installationOfArchive(name);
    return maker === null ? isOwnFolder(place, ownFolder) : maker === installation;
  };
}

function isOwnFolder(place: ArchivePlace, ownFolder: string): boolean {
  const inDataDirectory = join(realPath(dirname(ownFolder)), basename(ownFolder));
  return place.kind === "disk" && realPath(place.path) === inDataDirectory;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
