import type { Api } from "./api.ts";
import { followJob, type WatchedJob } from "./job-watch.ts";
import { countOf, formatCount, type ProgressState } from "./progress.ts";

/** An import as returned by the API. Counts are missing until the first rows are processed. */
export type ImportJob = WatchedJob & {
  metadata: Partial<ImportCounts> & {
    dryRun?: boolean;
    onDuplicate?: string;
    doNotContact?: number;
    /** Target of each column, by its header. */
    columns?: Record<string, string>;
    ignoredColumns?: string[];
    encoding?: string;
    /** Of a workbook. */
    sheet?: string;
    /** Why the server does not keep the failed rows. */
    failedRowsNotKept?: string;
  };
};
export type ImportCounts = Record<(typeof countNames)[number] | "rows", number>;
export type FailedRow = { row: number; errors: { path: string; message: string }[] };
type ReportPage = { rows: FailedRow[] };

const countNames = ["created", "updated", "skipped", "failed"] as const;

/** Number of failed rows in the summary; the report lists all of them. */
const shownFailures = 10;

/** Polls the job until it has ended. Aborting `signal` stops polling (`AbortError`), not the import. */
export function followImport(
  api: Api,
  jobId: string,
  options: { userId: string | undefined; signal: AbortSignal; onProgress: (job: ImportJob) => Promise<void> },
): Promise<ImportJob> {
  return followJob<ImportJob>(api, jobId, { ...options, isExpected: isImport });
}

/** False for a job of another type, whose ID was passed by mistake. */
export function isImport({ type = "lead_import" }: ImportJob): boolean {
  return type === "lead_import" || type === "prospect_import";
}

/** The first failed rows; empty if there are none. */
export async function failedRows(api: Api, job: ImportJob, userId: string | undefined): Promise<FailedRow[]> {
  if (!job.metadata.failed) return [];
  const report: ReportPage = await api.get(reportPath(job), { outcome: "failed", limit: shownFailures, userId });
  return report.rows;
}

export function importProgress({ id, progress, status, message, metadata }: ImportJob): ProgressState {
  const counts = countsOf(metadata);
  const parts = countNames.map((name) => `${name} ${formatCount(counts[name])}`).join(", ");
  const text = status === "pending" ? message : `${formatCount(counts.rows)} rows: ${parts}`;
  return { percent: progress, text, document: { phase: "import", jobId: id, percent: progress, ...counts } };
}

/** The result, for scripts. */
export function importDocument(job: ImportJob, failures: readonly FailedRow[]) {
  const { id: jobId, status, message, metadata } = job;
  const shown = failures.map(({ row, errors }) => ({ row, errors }));
  const report = `/api/v2${reportPath(job)}`;
  const dryRun = metadata.dryRun === true;
  const { ignoredColumns = [], encoding, sheet, columns = {}, doNotContact = 0 } = metadata;
  const read = { ...(encoding !== undefined && { encoding }), ...(sheet !== undefined && { sheet }) };
  const told = { columns, ignoredColumns, doNotContact, ...read };
  const counts = countsOf(metadata);
  return { event: "finished", jobId, status, message, dryRun, ...counts, ...told, failures: shown, report };
}

/** The result, for people. */
export function importSummary(job: ImportJob, failures: readonly FailedRow[], url: string | null): string {
  const counts = countsOf(job.metadata);
  const lines = countLines(job);
  const { ignoredColumns = [], encoding, sheet, columns = {} } = job.metadata;
  if (job.status === "completed" && counts.rows === 0) lines.push("", "The file has no rows after its header.");
  if (sheet !== undefined) lines.push("", `Sheet: ${sheet}`);
  lines.push(...skippedLines(job), ...columnLines(columns));
  if (encoding !== undefined) lines.push("", `Detected encoding: ${encoding}. If names look wrong, set --encoding.`);
  if (ignoredColumns.length > 0)
    lines.push("", `Unrecognized columns, ignored: ${ignoredColumns.join(", ")}`, columnHelp);
  if (counts.failed > 0) {
    lines.push("", `Failed rows (${failures.length} of ${formatCount(counts.failed)} shown):`);
    for (const { row, errors } of failures) lines.push(`  row ${row}  ${errors.map(problemText).join("; ")}`);
    const path = `/api/v2${reportPath(job)}`;
    lines.push("", `Full report: GET ${url === null ? `${path} of a running server` : url + path}`);
    if (job.type !== "prospect_import") lines.push(`By cause: outreachd import report ${job.id}`, failedRowsLine(job));
  }
  return lines.join("\n");
}

/** How to get a file of the rows that failed. */
function failedRowsLine({ id, metadata: { failedRowsNotKept } }: ImportJob): string {
  if (failedRowsNotKept === undefined) return `To fix and import them: outreachd import failed ${id} --output FILE`;
  const reason = failedRowsNotKept === "tooLarge" ? "they take too much room" : "they could not be stored";
  return `The server does not keep them, because ${reason}. To get them: POST /api/v2/leads/import/${id}/failed-rows with the file.`;
}

/** How many rows an import has, by what became of them. */
export function countLines({ id, metadata }: ImportJob): string[] {
  const counts = countsOf(metadata);
  const title = metadata.dryRun ? "Dry run (nothing was changed). Importing this file would result in" : "Import";
  return [
    `${title}: ${countOf(counts.rows, "row")} (job ${id})`,
    ...countNames.map((name) => `  ${name.padEnd(7)}  ${formatCount(counts[name])}`),
  ];
}

/** Explains why rows were skipped, and what to do about it. */
function skippedLines({ type, metadata }: ImportJob): string[] {
  const { skipped = 0, doNotContact = 0, onDuplicate } = metadata;
  const known = skipped - doNotContact;
  const lines: string[] = [];
  const [one, many, whose] =
    type === "prospect_import"
      ? (["person or company is", "people or companies are", "in your directory"] as const)
      : (["person is", "people are", "among your leads"] as const);
  if (known > 0 && onDuplicate === "skip")
    lines.push(
      `${formatCount(known)} skipped: the ${known === 1 ? one : many} already ${whose} and ${known === 1 ? "was" : "were"} left unchanged.`,
      "To update them from the file, import it again with --on-duplicate update.",
    );
  else if (known > 0) lines.push(`${formatCount(known)} skipped: the file contains nothing new about them.`);
  if (doNotContact > 0) lines.push(`${formatCount(doNotContact)} skipped: on the do-not-contact list.`);
  return lines.length === 0 ? [] : ["", ...lines];
}

export function columnLines(columns: Record<string, string>): string[] {
  const entries = Object.entries(columns);
  if (entries.length === 0) return [];
  const width = Math.max(...entries.map(([header]) => header.length));
  return ["", "Columns:", ...entries.map(([header, target]) => `  ${header.padEnd(width)}  ${columnWords(target)}`)];
}

function columnWords(target: string): string {
  if (target === "ignore") return "ignored";
  return target.startsWith("customFields.") ? `custom field "${target.slice("customFields.".length)}"` : target;
}

const columnHelp = 'Map a column with --column "Header=field", or ignore it with "Header=ignore".';

function reportPath({ id, type }: ImportJob): string {
  const feature = type === "prospect_import" ? "prospecting" : "leads";
  return `/${feature}/import/${encodeURIComponent(id)}/report`;
}

function countsOf({
  rows = 0,
  created = 0,
  updated = 0,
  skipped = 0,
  failed = 0,
}: ImportJob["metadata"]): ImportCounts {
  return { rows, created, updated, skipped, failed };
}

function problemText({ path, message }: FailedRow["errors"][number]): string {
  return path === "" ? message : `${path}: ${message}`;
}
