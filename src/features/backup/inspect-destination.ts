import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import type { ArchiveStore, StoredArchive } from "./archive-store.ts";
import type { ArchivePlace } from "./place.ts";

type Inspection = {
  /** Newest first. Archives that could not be listed are missing. */
  stored: StoredArchive[];
  /** Full sentences for the operator, including what to do; null if all is well. */
  problem: string | null;
};

/** Lists the backup destination and reports why it cannot be read or written. Changes nothing and never rejects. */
export async function inspectDestination(archives: ArchiveStore, place: ArchivePlace): Promise<Inspection> {
  let stored: StoredArchive[] = [];
  try {
    stored = await archives.list();
    if (place.kind === "disk") await requireWritable(place.path);
    return { stored, problem: null };
  } catch (error) {
    return { stored, problem: destinationProblem(error, archives, place) };
  }
}

/** Describes an error of the backup destination for the operator. */
export function destinationProblem(error: unknown, { place: shown }: ArchiveStore, { kind }: ArchivePlace): string {
  const hint =
    kind === "disk"
      ? "Mount its disk, give the server's user access to it, or set another destination with backup-to."
      : "Check the service, the bucket, and the settings backup-to and backup-s3-….";
  return `The backup destination ${shown} is unavailable: ${reasonOf(error)}. ${hint}`;
}

/** Also works for a folder that the first backup will create. A full disk is reported by the backup that hits it. */
async function requireWritable(directory: string): Promise<void> {
  await access(existingPart(resolve(directory)), constants.W_OK | constants.X_OK);
}

/** The existing part of a path that may be created later. */
export function existingPart(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingPart(dirname(path));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOTDIR") return `a part of that path is a file (${error.message})`;
  const fault = diskFaultOf(error);
  return fault === null ? error.message : `${fault.words} (${error.message})`;
}
