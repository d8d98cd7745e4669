import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock } from "../../platform/base/clock.ts";
import { fileOfJob } from "../../platform/imports/file-intake.ts";
import type { FileImports, ImportKind } from "../../platform/imports/file-imports.ts";
import { folderOfImports } from "../../platform/imports/job-files.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import { toldEncoding, type TextEncoding } from "../../lib/table-file/encodings.ts";
import { importEnd, removeFile } from "../leads/import/import-end.ts";
import { readProspectFile, type ProspectFileBatch } from "./import/prospect-file.ts";
import type { ProspectFileOptions } from "./import/prospect-file-thread.ts";
import type { ProspectOnDuplicate } from "./model.ts";
import type { ProspectImportCounts, ProspectReportRow } from "./directory-model.ts";
import type { BatchHints, ProspectReportRequest, ProspectStore } from "./store.ts";

/** Payload of an import job: how to read and store the file. */
export type ProspectImportSettings = Pick<
  ProspectFileOptions,
  "format" | "delimiter" | "encoding" | "sheet" | "columns" | "source"
> & {
  onDuplicate: ProspectOnDuplicate;
  dryRun: boolean;
};

/**
 * Includes the first unrecognized columns or field names, whose values are not stored, and the encoding, if it is not
 * UTF-8.
 */
type ProspectImportResult = ProspectImportCounts & {
  columns?: Record<string, string>;
  ignoredColumns?: string[];
  encoding?: TextEncoding;
  /** Of a workbook. */
  sheet?: string;
};

/** Maximum number of columns in the result. */
const maxColumns = 100;

const importFolder = folderOfImports.prospect_import;

export type ProspectImports = FileImports<ProspectImportSettings, ProspectReportRequest, ProspectReportRow>;

export function prospectImportKind(prospects: ProspectStore): ImportKind<ProspectReportRequest, ProspectReportRow> {
  const report = (request: ProspectReportRequest) => prospects.importReport(request);
  const countReport = (request: ProspectReportRequest) => prospects.countImportReport(request);
  const counts = ["companies"];
  return { type: "prospect_import", action: "prospects.imported", folder: importFolder, counts, report, countReport };
}

/** Small enough to block the event loop for only a few milliseconds, and large enough to share a commit. */
const batchRows = 800;

/** Reads the file of an import in a thread and stores it in batches. After a crash, it continues where it stopped. */
export function createProspectImportHandler(prospects: ProspectStore, blobs: BlobStore, clock: Clock): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const settings = job.payload as ProspectImportSettings;
    using file = await blobs.localFile(fileOfJob(importFolder, job.id));
    const lastRow = typeof job.metadata.lastRow === "number" ? job.metadata.lastRow : 0;
    // The decisions of a dry run are held in memory for the duration of the attempt.
    const options = { ...settings, path: file.path, afterRow: settings.dryRun ? 0 : lastRow, batchRows };
    try {
      return await importEnd(
        () => storeAll(job, context, options, settings),
        (counts) => summary(counts, settings.dryRun),
        () => clock.now(),
      );
    } finally {
      if (settings.dryRun) prospects.forgetDryRun(job.id);
    }
  }

  async function onEnded(job: Job, end: JobEnd): Promise<void> {
    await removeFile(blobs, importFolder, job, end);
    await prospects.settle(job.workspaceId);
  }

  /** While a batch is stored, the people of the next one are already looked up. */
  async function storeAll(
    job: Job,
    context: JobContext,
    options: ProspectFileOptions,
    settings: ProspectImportSettings,
  ): Promise<ProspectImportResult | null> {
    let ignoredColumns: string[] = [];
    let columns: ProspectFileBatch["columns"] = [];
    let encoding = "utf-8";
    let sheet: string | null = null;
    let storing: Promise<ProspectImportCounts | null> = Promise.resolve(settings.dryRun ? nothing : countsSoFar(job));
    for await (const batch of readProspectFile(options, context.signal)) {
      const hints = await prospects.lookUp({ workspaceId: job.workspaceId, rows: batch.rows });
      const before = await storing.catch((error: unknown) => {
        hints.release();
        throw error;
      });
      if (before === null) {
        hints.release();
        return null;
      }
      storing = store(job, context, batch, hints, settings);
      // Awaited with the next batch; until then, a rejection must not count as unhandled.
      storing.catch(() => undefined);
      ignoredColumns = batch.ignored;
      ({ encoding, columns, sheet } = batch);
    }
    const counts = await storing;
    if (counts === null) return null;
    const understood = columns.filter(({ target }) => target !== "ignore").slice(0, maxColumns);
    const shown = Object.fromEntries(understood.map(({ header, target }) => [header, target]));
    const named = { ...(understood.length > 0 && { columns: shown }), ...(sheet !== null && { sheet }) };
    return { ...counts, ...named, ...(ignoredColumns.length > 0 && { ignoredColumns }), ...toldEncoding(encoding) };
  }

  async function store(
    job: Job,
    { claim, leaseUntil }: JobContext,
    batch: ProspectFileBatch,
    hints: BatchHints,
    { onDuplicate, dryRun }: ProspectImportSettings,
  ) {
    const stored = prospects.importBatch(
      {
        workspaceId: job.workspaceId,
        jobId: job.id,
        attempt: claim.attempt,
        rows: batch.rows,
        found: batch.found,
        onDuplicate,
        dryRun,
        lastRow: batch.lastRow,
        progress: batch.totalBytes === 0 ? 0 : Math.min(99, (batch.bytesRead / batch.totalBytes) * 100),
        leaseUntil: leaseUntil(),
        at: clock.now(),
      },
      hints,
    );
    return await stored.finally(() => batch.release());
  }

  return { type: "prospect_import", concurrency: 1, run, onEnded };
}

const nothing: ProspectImportCounts = { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, companies: 0 };

function countsSoFar({ metadata }: Job): ProspectImportCounts {
  const { rows, created, updated, skipped, failed, companies } = metadata as ProspectImportCounts;
  return { rows, created, updated, skipped, failed, companies };
}

function summary(
  { rows, created, updated, skipped, failed, companies, ignoredColumns = [], encoding }: ProspectImportResult,
  dryRun: boolean,
): string {
  const people = companies === 0 ? "" : ` (${companies} of them companies)`;
  const counts = `${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
  const ignored = ignoredColumns.length === 0 ? "" : `. Unrecognized columns: ${ignoredColumns.join(", ")}`;
  const details = `${counts}${ignored}${encoding === undefined ? "" : `. Read as ${encoding}`}`;
  return dryRun
    ? `Dry run of ${rows} rows${people}, nothing was stored: ${details}`
    : `Read ${rows} rows${people}: ${details}`;
}
