import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import type { ArchiveStore, StoredArchive } from "./archive-store.ts";
import type { ArchivePlace } from "./place.ts";

type Look = {
  /** Newest first; what could not be seen is not in it. */
  stored: StoredArchive[];
  /** Full sentences for the operator, with the way out; null when nothing speaks against the place. */
  problem: string | null;
};

/** What lies in the place of the backups, and why none can be seen or put there. Changes nothing, and never rejects. */
export async function lookInto(archives: ArchiveStore, place: ArchivePlace): Promise<Look> {
  let stored: StoredArchive[] = [];
  try {
    stored = await archives.list();
    if (place.kind === "disk") await requireWritable(place.path);
    return { stored, problem: null };
  } catch (error) {
    return { stored, problem: placeProblem(error, archives, place) };
  }
}

/** What an error in the place says about it, in words for the operator. */
export function placeProblem(error: unknown, { place: shown }: ArchiveStore, { kind }: ArchivePlace): string {
  const hint =
    kind === "disk"
      ? "Mount its disk, give the user of the server access to it, or name another place with the setting backup-to."
      : "Check the service and its bucket, and the settings backup-to and backup-s3-….";
  return `The place for backups ${shown} can't be used: ${reasonOf(error)}. ${hint}`;
}

/** Also for a folder that the first backup makes. A disk that is full is told by the backup that finds it so. */
async function requireWritable(directory: string): Promise<void> {
  await access(existingPart(resolve(directory)), constants.W_OK | constants.X_OK);
}

/** What there is of a path that may be made later. */
export function existingPart(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingPart(dirname(path));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOTDIR") return `a part of that path is a file (${error.message})`;
  const fault = diskFaultOf(error);
  return fault === null ? error.message : `${fault.words} (${error.message})`;
}
