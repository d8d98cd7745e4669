import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { backupsName } from "../data-directory.ts";
import { installationOfArchive } from "./model.ts";
import type { ArchivePlace } from "./place.ts";

export type OwnArchives = (name: string) => boolean;

/**
 * Tells by its name whether an archive of a place is that of one installation: only those may be deleted unasked, because
 * other servers may keep theirs in the same place. A name without an id, of an earlier version, counts only in the
 * `backups` folder that truly lies in the data directory: a link leads to a place that others may share.
 */
export function ownArchives(installation: string | null, place: ArchivePlace, dataDir: string): OwnArchives {
  return (name) => {
    const maker = installationOfArchive(name);
    return maker === null ? isOwnFolder(place, dataDir) : maker === installation;
  };
}

function isOwnFolder(place: ArchivePlace, dataDir: string): boolean {
  return place.kind === "disk" && realPath(place.path) === join(realPath(dataDir), backupsName);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
