import type { ArchiveStore } from "../backup/archive-store.ts";
import type { ArchivePlace } from "../backup/place.ts";
import { createDiskArchives } from "./disk-archives.ts";
import { createS3Archives } from "./s3-archives.ts";

export function createArchives(place: ArchivePlace): ArchiveStore {
  return place.kind === "disk" ? createDiskArchives(place.path) : createS3Archives(place);
}
