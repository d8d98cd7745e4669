import type { ThreadPort } from "../../threads.ts";
import { columnOverrides, type PlannedColumn } from "./column-plan.ts";
import { csvLayout } from "./csv-layout.ts";
import { CsvRows } from "./csv-rows.ts";
import {
  LeadFileError,
  type LeadFileBatch,
  type LeadFileFormat,
  type LeadFileInspection,
  type LeadFileOptions,
  type LeadFileReason,
  type LeadFileRow,
} from "./lead-file.ts";
import { NdjsonRows } from "./ndjson-rows.ts";
import { TextFile } from "./text-file.ts";

/** What is to be done with the file. */
export type LeadFileWork =
  | { kind: "read"; options: LeadFileOptions; batchesInFlight: number }
  | { kind: "inspect"; options: Pick<LeadFileOptions, "format" | "delimiter" | "columns"> };

/** What the thread is started with. The descriptor stays the main thread's, which closes it. */
export type LeadFileRequest = { descriptor: number; totalBytes: number; work: LeadFileWork };

export type LeadFileAnswer =
  /** The rows as JSON: measured, half the cost of copying the objects from thread to thread. */
  | { kind: "batch"; batch: Omit<LeadFileBatch, "rows">; rows: string }
  | { kind: "inspection"; inspection: LeadFileInspection }
  | { kind: "refused"; reason: LeadFileReason; message: string; details: Record<string, unknown> }
  | { kind: "done" };

/** The task "lead-file". Every "next" allows one more batch than were allowed at the start. */
export type LeadFileThread = { task: "lead-file"; init: LeadFileRequest; port: ThreadPort<"next", LeadFileAnswer> };

/** Rows that an inspection shows. */
const inspectedRows = 5;

/** Does the work of the thread. What goes wrong with the file is answered; anything else ends the thread. */
export async function runLeadFileThread(port: LeadFileThread["port"], request: LeadFileRequest): Promise<void> {
  const { descriptor, totalBytes, work } = request;
  try {
    const file = new TextFile(descriptor);
    if (work.kind === "inspect") port.post({ kind: "inspection", inspection: inspection(file, work.options) });
    else await read(file, totalBytes, work.options, new Allowance(port, work.batchesInFlight), port);
    port.post({ kind: "done" });
  } catch (error) {
    if (!(error instanceof LeadFileError)) throw error;
    const { reason, message, details } = error;
    port.post({ kind: "refused", reason, message, details });
  }
}

async function read(port: LeadFileThread["port"], request: Extract<LeadFileRequest, { work: "read" }>): Promise<void> {
  const { options, totalBytes } = request;
  const file = new TextFile(request.descriptor);
  const { rows: reader } = rowReader(file, options, options, options.afterRow);
  const allowance = new Allowance(port, request.batchesInFlight);
  let rows: LeadFileRow[] = [];
  const post = async (batchRows: LeadFileRow[]): Promise<void> => {
    await allowance.take();
    const batch = { lastRow: batchRows.at(-1)?.row ?? 0, bytesRead: file.bytesRead, totalBytes };
    port.post({ kind: "batch", batch, rows: JSON.stringify(batchRows) });
  };
  for (let block: string | null = ""; block !== null;) {
    block = file.next();
    rows = rows.concat(reader.take(block, file.hasBadBytes));
    while (rows.length >= options.batchRows) await post(rows.splice(0, options.batchRows));
  }
  if (rows.length > 0) await post(rows);
}

function inspection({ descriptor, options }: LeadFileRequest): LeadFileInspection {
  const file = new TextFile(descriptor);
  const { rows: reader, ...layout } = rowReader(file, options, { tags: [], source: null }, 0);
  const rows = [...reader.take(file.sample, false), ...(file.sampleIsAll ? reader.take(null, false) : [])];
  const columns = layout.columns ?? (reader instanceof NdjsonRows ? reader.columns : []);
  return {
    format: layout.format,
    encoding: file.encoding,
    delimiter: layout.delimiter,
    headerRow: layout.headerRow,
    columns: columns.map(({ header, target }) => ({ header, target })),
    firstRows: rows.slice(0, inspectedRows),
  };
}

type RowReader = {
  format: Exclude<LeadFileFormat, "auto">;
  delimiter: string | null;
  headerRow: number | null;
  columns: PlannedColumn[] | null;
  rows: CsvRows | NdjsonRows;
};

function rowReader(
  file: TextFile,
  options: Pick<LeadFileOptions, "format" | "delimiter" | "columns">,
  defaults: Pick<LeadFileOptions, "tags" | "source">,
  afterRow: number,
): RowReader {
  const overrides = columnOverrides(options.columns);
  const format = options.format === "auto" ? formatOf(file.sample) : options.format;
  if (format === "ndjson") {
    const rows = new NdjsonRows(overrides, defaults, afterRow);
    return { format, delimiter: null, headerRow: null, columns: null, rows };
  }
  const layout = csvLayout(file.sample, file.sampleIsAll, options.delimiter, overrides);
  const { delimiter, headerRow, columns } = layout;
  return { format, delimiter, headerRow, columns, rows: new CsvRows(layout, defaults, afterRow) };
}

function formatOf(sample: string): Exclude<LeadFileFormat, "auto"> {
  const start = sample.trimStart();
  if (/^\[\s*[{\]]/.test(start))
    throw new LeadFileError(
      "notText",
      "The file is one JSON list. Write one JSON object on each line instead (NDJSON), without brackets and commas around.",
    );
  return /^\{\s*["}]/.test(start) ? "ndjson" : "csv";
}

/** Counts the batches that may be posted; waits when there is none. */
class Allowance {
  #left: number;
  #wake: (() => void) | null = null;

  constructor(port: LeadFileThread["port"], left: number) {
    this.#left = left;
    port.onMessage(() => {
      this.#left += 1;
      this.#wake?.();
    });
  }

  async take(): Promise<void> {
    while (this.#left === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#left -= 1;
  }
}
