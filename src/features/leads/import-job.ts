import type { HolderLookup } from "../../platform/auth/workspace-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock } from "../../platform/base/clock.ts";
import { garbageCollector } from "../../lib/concurrency/garbage.ts";
import { fileOfJob } from "../../platform/imports/file-intake.ts";
import { allRows, type FileImports, type ImportKind } from "../../platform/imports/file-imports.ts";
import { workbookCsv } from "../../platform/imports/workbook-csv.ts";
import { folderOfImports } from "../../platform/imports/job-files.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import type { JobService } from "../../platform/jobs/service.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { toldEncoding, type TextEncoding } from "../../lib/table-file/encodings.ts";
import { failedRowsText } from "./import/failed-rows.ts";
import { failedRowsOptions, mostColumns, readable, sheetOf, utf8 } from "./import/failed-rows-file.ts";
import { notKeptText, type KeptFailedRows } from "./kept-failed-rows.ts";
import { importEnd, removeFile } from "./import/import-end.ts";
import { rowsBetween } from "./import/packed-rows.ts";
import { readLeadFile } from "./import/lead-file.ts";
import type { LeadFileBatch, LeadFileOptions } from "./import/lead-file-batch.ts";
import type { ImportOnDuplicate } from "./model.ts";
import type { ImportCounts, ImportReportRequest, ImportReportRow } from "./change-model.ts";
import type { LeadStore } from "./store.ts";

/** How to read and store a file; the payload of the job. */
export type ImportSettings = Pick<
  LeadFileOptions,
  "format" | "delimiter" | "encoding" | "sheet" | "columns" | "tags" | "source"
> & {
  onDuplicate: ImportOnDuplicate;
  dryRun: boolean;
  /** Absent in jobs of version 0.1.0. */
  assignTo?: readonly UserId[];
};

/**
 * New rows: few enough to block the event loop for at most 10 ms, enough that many rows share a commit. Comparing a row with
 * a lead takes longer: after a batch with more than one known person in `newPerKnown` rows, fewer are stored at once.
 */
const rowsToCreateAtOnce = 400;
const newPerKnown = 10;
/** The rows are bytes, so most of the garbage comes from other requests. */
const rowsBetweenCollections = 3_200;
/** A full collection delays every request. */
const rowsBetweenFullCollections = 9_600;
const forgetAtOnce = 2_000;

/** With the encoding, unless it is UTF-8, the sheet, if the file is a workbook, and the format, if it is NDJSON. */
type LeadImportResult = ImportCounts & {
  encoding?: TextEncoding;
  sheet?: string;
  format?: "ndjson";
  columns?: Record<string, string>;
};

const importFolder = folderOfImports.lead_import;

export type LeadImports = FileImports<ImportSettings, ImportReportRequest, ImportReportRow>;

export function leadImportKind(leads: LeadStore): ImportKind<ImportReportRequest, ImportReportRow> {
  return {
    type: "lead_import",
    action: "leads.imported",
    folder: importFolder,
    counts: [],
    report: (request) => leads.importReport(request),
    countReport: (request) => leads.countImportReport(request),
  };
}

/** Reads the file of an import in a thread and stores it batch by batch; resumes after a crash. */
export function createImportHandler(
  leads: LeadStore,
  team: HolderLookup,
  blobs: BlobStore,
  failedRows: KeptFailedRows,
  jobs: Pick<JobService, "find">,
  clock: Clock,
): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const settings = job.payload as ImportSettings;
    using file = await blobs.localFile(fileOfJob(importFolder, job.id));
    const afterRow = typeof job.metadata.lastRow === "number" ? job.metadata.lastRow : 0;
    const owner = await leads.ownerNumber(job.workspaceId);
    if (owner === null) return null; // the user is gone, and the job with it
    const options = { ...settings, path: file.path, owner, afterRow, batchRows: rowsToCreateAtOnce };
    const end = await importEnd(
      () => storeAll(job, context, settings, options),
      (counts) => summary(counts, settings.dryRun),
      () => clock.now(),
    );
    if (end === null) return null;
    await forgetDryRun(job, settings);
    return await withFailedRows(job, settings, end, file.path);
  }

  /** Keeps the failed rows before the end removes the file. The end says so if that was not possible. */
  async function withFailedRows(job: Job, settings: ImportSettings, end: JobEnd, path: string): Promise<JobEnd> {
    if (end.kind !== "completed" || end.metadata["failed"] === 0) return end;
    // After a restart with no rows left, nothing was read, so that the encoding is not known.
    if (end.metadata["columns"] === undefined) return end;
    const { workspaceId, id: jobId } = job;
    const failed = allRows((request: ImportReportRequest) => leads.importReport(request), {
      workspaceId,
      jobId,
      outcome: "failed",
    });
    const sheet = sheetOf(end.metadata);
    // To the end, as the rows of a text file: the import itself cannot be interrupted any more.
    const file = sheet === null ? Bun.file(path).stream() : workbookCsv(path, sheet, new AbortController().signal);
    const texts = failedRowsText(file, failed, failedRowsOptions(settings, end.metadata));
    const failedRowsNotKept = await failedRows.keep(job, utf8(readable(texts)));
    if (failedRowsNotKept === null) return end;
    const message = `${end.message}. ${notKeptText[failedRowsNotKept]}`;
    return { ...end, message, metadata: { ...end.metadata, failedRowsNotKept } };
  }

  /** Members may have left while the import waited. */
  async function activeAmong(workspaceId: WorkspaceId, userIds: readonly UserId[]): Promise<UserId[]> {
    const holders = await Promise.all(userIds.map((userId) => team.holder(workspaceId, userId)));
    return userIds.filter((_userId, index) => holders[index] !== null);
  }

  /** Null: canceled, or claimed by another runner. */
  async function storeAll(
    job: Job,
    context: JobContext,
    settings: ImportSettings,
    options: Omit<LeadFileOptions, "assignTo">,
  ): Promise<LeadImportResult | null> {
    let counts = countsSoFar(job);
    let encoding = "utf-8";
    let sheet: string | null = null;
    let isNdjson = false;
    let columns: LeadFileBatch["columns"] = [];
    let { afterRow } = options;
    const { batchRows } = options;
    const collect = garbageCollector(rowsBetweenCollections / batchRows, rowsBetweenFullCollections / batchRows);
    const { onDuplicate } = settings;
    const knownAtOnce = onDuplicate === "create" ? rowsToCreateAtOnce : leads.knownRowsAtOnce[onDuplicate];
    let rowsAtOnce = knownAtOnce;
    for (let isDone = false; !isDone;) {
      isDone = true;
      const assignTo = await activeAmong(job.workspaceId, settings.assignTo ?? []);
      for await (const batch of readLeadFile({ ...options, afterRow, assignTo }, context.signal)) {
        ({ encoding, columns, sheet, isNdjson } = batch);
        for (let from = 0; from < batch.rows.numbers.length && isDone;) {
          const rows = rowsBetween(batch.rows, from, from + rowsAtOnce);
          const stored = await store(job, context, settings, { ...batch, rows }, assignTo);
          if (stored === null) return null;
          // The rest of the file is read again, for those who are left.
          if (stored === "memberLeft") isDone = false;
          else {
            const known = stored.skipped + stored.updated - counts.skipped - counts.updated;
            rowsAtOnce = known * newPerKnown > rows.numbers.length ? knownAtOnce : rowsToCreateAtOnce;
            counts = stored;
            afterRow = rows.numbers.at(-1)!;
            from += rows.numbers.length;
          }
          await pause(); // see garbageCollector
        }
        if (!isDone) break;
        collect();
      }
    }
    const shown = Object.fromEntries(columns.slice(0, mostColumns).map(({ header, target }) => [header, target]));
    const named = { ...(columns.length > 0 && { columns: shown }), ...(sheet !== null && { sheet }) };
    const format = isNdjson ? { format: "ndjson" as const } : {};
    return { ...counts, ...named, ...format, ...toldEncoding(encoding) };
  }

  async function store(
    job: Job,
    { claim, leaseUntil }: JobContext,
    settings: ImportSettings,
    batch: LeadFileBatch,
    assignees: readonly UserId[],
  ) {
    return await leads.importBatch({
      workspaceId: job.workspaceId,
      jobId: job.id,
      attempt: claim.attempt,
      rows: batch.rows,
      assignees,
      onDuplicate: settings.onDuplicate,
      dryRun: settings.dryRun,
      lastRow: batch.rows.numbers.at(-1) ?? 0,
      progress: batch.totalBytes === 0 ? 0 : Math.min(99, (batch.bytesRead / batch.totalBytes) * 100),
      leaseUntil: leaseUntil(),
      at: clock.now(),
    });
  }

  async function forgetDryRun(job: Job, { dryRun }: ImportSettings): Promise<void> {
    // In slices, so that other writes are not delayed.
    while (dryRun && (await leads.forgetDryRun(job.id, forgetAtOnce)) === forgetAtOnce);
  }

  /** A canceled import has no failed rows to offer. Those of another run of the job have the same name. */
  async function onClaimLost({ workspaceId, id }: Job): Promise<void> {
    const job = await jobs.find(workspaceId, id);
    if (job === null || job.status === "failed") await failedRows.remove({ workspaceId, id });
  }

  const onEnded = (job: Job, end: JobEnd): Promise<void> => removeFile(blobs, importFolder, job, end);
  return { type: "lead_import", concurrency: 1, run, onEnded, onClaimLost };
}

function countsSoFar({ metadata }: Job): ImportCounts {
  const {
    rows = 0,
    created = 0,
    updated = 0,
    skipped = 0,
    failed = 0,
    doNotContact,
  } = metadata as Partial<ImportCounts>;
  return { rows, created, updated, skipped, failed, ...(doNotContact !== undefined && { doNotContact }) };
}

function summary(
  { rows, created, updated, skipped, failed, doNotContact, encoding }: LeadImportResult,
  dryRun: boolean,
): string {
  const stopped = doNotContact === undefined ? "" : ` (${doNotContact} on the do-not-contact list)`;
  const counts = `${created} created, ${updated} updated, ${skipped} skipped${stopped}, ${failed} failed`;
  const told = `${counts}${encoding === undefined ? "" : `. Read as ${encoding}`}`;
  return dryRun ? `Dry run of ${rows} rows, nothing was stored: ${told}` : `Read ${rows} rows: ${told}`;
}
