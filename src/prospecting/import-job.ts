import type { BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import { fileOfJob } from "../jobs/file-intake.ts";
import { folderOfImports } from "../jobs/job-files.ts";
import type { JobContext, JobHandler } from "../jobs/handler.ts";
import type { Job } from "../jobs/model.ts";
import type { JobEnd } from "../jobs/store.ts";
import { LeadFileError } from "../leads/import/lead-file.ts";
import { readProspectFile, type ProspectFileBatch, type ProspectFileOptions } from "./import/prospect-file.ts";
import type { ProspectOnDuplicate } from "./model.ts";
import type { BatchHints, ProspectImportCounts, ProspectStore } from "./store.ts";

/** How a file is to be read and stored; the payload of the job. */
export type ProspectImportSettings = Pick<ProspectFileOptions, "format" | "delimiter" | "columns" | "source"> & {
  onDuplicate: ProspectOnDuplicate;
};

/** Where the files of imports lie. */
export const prospectImportFolder = folderOfImports.prospect_import;

/** Small enough that storing a batch keeps the event loop for some milliseconds, large enough to share a commit. */
const batchRows = 500;

/** Reads the file of an import in a thread and stores it batch by batch; after a crash it goes on where it stopped. */
export function createProspectImportHandler(prospects: ProspectStore, blobs: BlobStore, clock: Clock): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const settings = job.payload as ProspectImportSettings;
    const path = await blobs.localPath(fileOfJob(prospectImportFolder, job.id));
    const afterRow = typeof job.metadata.lastRow === "number" ? job.metadata.lastRow : 0;
    return finished(() => storeAll(job, context, { ...settings, path, afterRow, batchRows }, settings.onDuplicate));
  }

  /** Not before the end is written: a run that finds no file could not tell that all of its rows were stored. */
  async function ended(job: Job, end: JobEnd): Promise<void> {
    const isOfUse = end.kind === "failed" && end.metadata["reason"] === undefined; // to a retry
    if (!isOfUse) await blobs.remove(fileOfJob(prospectImportFolder, job.id));
    await prospects.settle(job.userId);
  }

  /** The end of the import, also when the file can't be read; null when the attempt no longer holds the job. */
  async function finished(read: () => Promise<ProspectImportCounts | null>): Promise<JobEnd | null> {
    try {
      const counts = await read();
      return counts && { kind: "completed", message: summary(counts), metadata: { ...counts }, at: clock.now() };
    } catch (error) {
      if (isAbsent(error)) return failed("The file is gone; send it again.", {});
      if (!(error instanceof LeadFileError)) throw error;
      return failed(error.message, { reason: error.reason, ...error.details });
    }
  }

  function failed(message: string, metadata: Record<string, unknown>): JobEnd {
    return { kind: "failed", message, metadata, at: clock.now() };
  }

  /** While a batch is stored, the persons of the next are looked for already. */
  async function storeAll(
    job: Job,
    context: JobContext,
    options: ProspectFileOptions,
    onDuplicate: ProspectOnDuplicate,
  ): Promise<ProspectImportCounts | null> {
    let storing: Promise<ProspectImportCounts | null> = Promise.resolve(countsSoFar(job));
    for await (const batch of readProspectFile(options, context.signal)) {
      const hints = await prospects.lookUp({ userId: job.userId, rows: batch.rows });
      const before = await storing.catch((error: unknown) => {
        hints.release();
        throw error;
      });
      if (before === null) {
        hints.release();
        return null;
      }
      storing = store(job, context, batch, hints, onDuplicate);
      // It is awaited with the next batch; until then a failure must not count as unhandled.
      storing.catch(() => undefined);
    }
    return await storing;
  }

  function store(
    job: Job,
    { claim, leaseUntil }: JobContext,
    batch: ProspectFileBatch,
    hints: BatchHints,
    onDuplicate: ProspectOnDuplicate,
  ) {
    return prospects.importBatch(
      {
        userId: job.userId,
        jobId: job.id,
        attempt: claim.attempt,
        rows: batch.rows,
        onDuplicate,
        lastRow: batch.lastRow,
        progress: batch.totalBytes === 0 ? 0 : Math.min(99, (batch.bytesRead / batch.totalBytes) * 100),
        leaseUntil: leaseUntil(),
        at: clock.now(),
      },
      hints,
    );
  }

  return { type: "prospect_import", concurrency: 1, run, ended };
}

/** A retry after the end: the file went with it. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function countsSoFar({ metadata }: Job): ProspectImportCounts {
  const { rows, created, updated, skipped, failed, companies } = metadata as ProspectImportCounts;
  return { rows, created, updated, skipped, failed, companies };
}

function summary({ rows, created, updated, skipped, failed, companies }: ProspectImportCounts): string {
  const people = companies === 0 ? "" : ` (${companies} of them companies)`;
  return `Read ${rows} rows${people}: ${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
}
