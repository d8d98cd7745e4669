import type { ArchiveStore } from "../../features/backup/archive-store.ts";
import type { ArchivePlace } from "../../features/backup/place.ts";
import { createDiskArchives } from "./disk-archives.ts";
import { createS3Archives } from "./s3-archives.ts";

export function createArchives(place: ArchivePlace): ArchiveStore {
  return place.kind === "disk" ? createDiskArchives(place.path) : createS3Archives(place);
}
