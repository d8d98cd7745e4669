import type { BlobStore } from "../../../platform/blobs/blob-store.ts";
import { fileOfJob } from "../../../platform/imports/file-intake.ts";
import type { Job, JobMetadata, JobEnd } from "../../../platform/jobs/model.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";

/**
 * Runs an import and returns how its job ends, including when the file can't be read. Null if `read` returns null: the
 * attempt no longer holds the job.
 */
export async function importEnd<Counts extends JobMetadata>(
  read: () => Promise<Counts | null>,
  summary: (counts: Counts) => string,
  now: () => number,
): Promise<JobEnd | null> {
  const failed = (message: string, metadata: JobMetadata): JobEnd => ({ kind: "failed", message, metadata, at: now() });
  try {
    const counts = await read();
    return counts && { kind: "completed", message: summary(counts), metadata: { ...counts }, at: now() };
  } catch (error) {
    if (isAbsent(error)) return failed("The uploaded file is gone. Send it again.", {});
    if (!(error instanceof ImportFileError)) throw error;
    return failed(error.message, { reason: error.reason, ...error.details });
  }
}

/**
 * Removes the file of an import that has ended, unless a retry may need it. Only after the end is written: a run without
 * a file could not know whether all rows were stored.
 */
export async function removeFile(blobs: BlobStore, folder: string, job: Job, end: JobEnd): Promise<void> {
  const isOfUse = end.kind === "failed" && end.metadata["reason"] === undefined;
  if (!isOfUse) await blobs.remove(fileOfJob(folder, job.id));
}

/** A retry after the end, which removed the file. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
