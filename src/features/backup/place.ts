import type { FilesPlace } from "../../platform/blobs/place.ts";

/** Backup destination, as configured. */
export type ArchivePlace = FilesPlace;
