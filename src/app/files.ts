import { join } from "node:path";
import { createBlobs } from "../adapters/blobs/blobs.ts";
import { DiskScratchFiles } from "../adapters/blobs/scratch-files.ts";
import { Scratch } from "../adapters/blobs/scratch.ts";
import type { DataDirectory } from "../adapters/disk/data-directory.ts";
import { diskFaultOf } from "../platform/base/disk-fault.ts";
import { StartError } from "../platform/base/start-error.ts";
import type { BlobStore } from "../platform/blobs/blob-store.ts";
import type { ScratchStore } from "../platform/blobs/scratch-store.ts";
import type { FilesPlace, S3Place } from "../platform/blobs/place.ts";
import { hasBlobs } from "./first-run.ts";
import type { Config } from "./config/config.ts";

/**
 * Opens the store of files that the configuration selects. Throws `StartError` if it is unavailable, or if files are in
 * the data directory although they should be in a bucket. `scratch`: for files of requests, in the data directory.
 */
export async function openFiles(
  { files }: Config,
  directory: DataDirectory,
): Promise<{ place: FilesPlace; blobs: BlobStore; scratch: ScratchStore }> {
  const { blobsPath, scratchPath } = directory;
  const requestFiles = () => new DiskScratchFiles(join(scratchPath, "requests"), files.scratchBytes);
  if (files.place === null) {
    const place = { kind: "disk" as const, path: blobsPath };
    return { place, blobs: createBlobs(place, null), scratch: requestFiles() };
  }
  const { place } = files;
  if (hasBlobs(directory))
    throw new StartError(`Files are still in ${blobsPath}, but should be in ${shown(place)}.`, {
      hint: "Without the option files, create a backup. Then restore it with this option: outreachd restore FILE --replace --files s3://….",
    });
  const blobs = createBlobs(place, new Scratch(scratchPath, files.scratchBytes));
  await blobs.check().catch((error: unknown) => {
    const fault = diskFaultOf(error);
    if (fault === null) throw error;
    const message = `Cannot use the files in ${shown(place)}: ${fault.words} (${(error as Error).message}).`;
    throw new StartError(message, { hint: fault.hint, cause: error });
  });
  return { place, blobs, scratch: requestFiles() };
}

/** For a database without users. Throws `StartError` if its files are in use by an installation with users. */
export async function refuseUsedBucket(blobs: BlobStore, place: FilesPlace): Promise<void> {
  if (place.kind === "disk") return;
  for (const folder of ["voice/", "imports/", "prospect-imports/"])
    if ((await blobs.list(folder)).length > 0)
      throw new StartError(`The database has no users, but there are files of users in ${shown(place)}.`, {
        hint:
          "If the database was moved or lost, move it back or restore a backup: outreachd restore FILE --replace. " +
          "To start from scratch, choose another prefix with --files s3://BUCKET/PREFIX.",
      });
}

function shown({ bucket, prefix }: S3Place): string {
  return `s3://${bucket}/${prefix}`;
}
