import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { OwnArchives } from "./archive-store.ts";
import { installationOfArchive } from "./model.ts";
import type { ArchivePlace } from "./place.ts";

/**
 * Returns a check for whether an archive belongs to the given installation, judging by its name. Only its own archives
 * may be deleted automatically, because other servers may use the same destination. Names without an ID, from earlier
 * versions, count as own only in `ownFolder`, the backup folder of the data directory, and only if that is not a link,
 * which may lead to a shared location.
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
