import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { FilesPlace } from "../../platform/blobs/place.ts";
import { createDiskBlobs } from "./disk.ts";
import { createS3Blobs } from "./s3.ts";
import type { Scratch } from "./scratch.ts";

/** `scratch` is for `localFile` of blobs in S3; null if that is not used. */
export function createBlobs(place: FilesPlace, scratch: Scratch | null): BlobStore {
  return place.kind === "disk" ? createDiskBlobs(place.path) : createS3Blobs(place, scratch);
}
