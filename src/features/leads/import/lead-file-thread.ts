import type { UserId } from "../../../platform/base/ids.ts";
import { garbageCollector } from "../../../lib/concurrency/garbage.ts";
import { systemIds } from "../../../platform/base/clock.ts";
import { allowance, type ThreadPort } from "../../../threads.ts";
import { columnOverrides, type PlannedColumn } from "./column-plan.ts";
import { csvLayout } from "./csv-layout.ts";
import { CsvRows } from "./csv-rows.ts";
import type { FileFormatOptions } from "../../../platform/imports/file-format.ts";
import { ImportFileError, type ImportFileReason } from "../../../platform/imports/import-file-error.ts";
import type { LeadFileBatch, LeadFileInspection, LeadFileOptions, LeadFileRow } from "./lead-file-batch.ts";
import { NdjsonRows } from "./ndjson-rows.ts";
import { arraysOf, RowPacker, type PackedRows } from "./packed-rows.ts";
import { openTable, withSheets, type TableFile } from "../../../platform/imports/table-file.ts";

/** The task for a file. */
export type LeadFileWork =
  | { kind: "read"; options: LeadFileOptions; batchesInFlight: number }
  | { kind: "inspect"; options: FileFormatOptions };

/** Input of the thread. The main thread keeps the descriptor and closes it. */
export type LeadFileRequest = { descriptor: number; totalBytes: number; work: LeadFileWork };

export type LeadFileAnswer =
  | { kind: "batch"; batch: LeadFileBatch }
  | { kind: "inspection"; inspection: LeadFileInspection }
  | { kind: "refused"; reason: ImportFileReason; message: string; details: Record<string, unknown> }
  | { kind: "done" };

/** The task "lead-file". Each "next" allows one more batch. */
export type LeadFileThread = { task: "lead-file"; init: LeadFileRequest; port: ThreadPort<"next", LeadFileAnswer> };

/** A block produces about 2 MB of garbage; rows that remain for the next batch survive the collection. */
const blocksBetweenCollections = 1;
const blocksBetweenFullCollections = 4;
/** Rows that an inspection shows. */
const inspectedRows = 5;

/** Runs in the thread. Problems with the file are posted; other errors end the thread. */
export async function runLeadFileThread(port: LeadFileThread["port"], request: LeadFileRequest): Promise<void> {
  const { descriptor, totalBytes, work } = request;
  try {
    const file = await openTable(descriptor, work.options);
    try {
      if (work.kind === "inspect") port.post({ kind: "inspection", inspection: inspection(file, work.options) });
      else await read(file, work.options, new BatchPort(port, work.batchesInFlight, totalBytes, file));
    } catch (error) {
      throw error instanceof ImportFileError && error.reason === "noColumns" ? withSheets(error, file) : error;
    }
    port.post({ kind: "done" });
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    const { reason, message, details } = error;
    port.post({ kind: "refused", reason, message, details });
  }
}

async function read(file: TableFile, options: LeadFileOptions, batches: BatchPort): Promise<void> {
  const { text } = file;
  const { rows: reader, columns: planned } = rowReader(file, options, options, options.afterRow);
  const columns = () => shownColumns(planned ?? (reader instanceof NdjsonRows ? reader.columns : []));
  const collect = garbageCollector(blocksBetweenCollections, blocksBetweenFullCollections);
  const packer = new RowPacker(options.owner);
  for (let block: string | null = ""; block !== null;) {
    block = await text.next();
    collect();
    for (const row of reader.take(block, text.hasBadBytes)) {
      pack(row, options.assignTo, packer);
      if (packer.count === options.batchRows) await batches.post(packer.take(), columns(), text.bytesRead);
    }
  }
  if (packer.count > 0) await batches.post(packer.take(), columns(), text.bytesRead);
}

function pack(row: LeadFileRow, assignTo: readonly UserId[], packer: RowPacker): void {
  if ("errors" in row) packer.addErrors(row.row, row.errors);
  else {
    const { content, identity } = row;
    // By its number, so that a row has the same member after an interruption.
    if (assignTo.length > 0) content.assignedTo = assignTo[row.row % assignTo.length]!;
    packer.add(row.row, systemIds.next(Date.now()), content, identity);
  }
}

function inspection(file: TableFile, options: FileFormatOptions): LeadFileInspection {
  const { rows: reader, ...layout } = rowReader(file, options, { tags: [], source: null }, 0);
  const { sample, sampleIsAll, sampleHasBadBytes: isBad, encoding } = file.text;
  const rows = [...reader.take(sample, isBad), ...(sampleIsAll ? reader.take(null, isBad) : [])];
  const columns = layout.columns ?? (reader instanceof NdjsonRows ? reader.columns : []);
  return {
    format: file.format,
    encoding: file.sheet === null ? encoding : null,
    sheet: file.sheet,
    sheets: file.sheets,
    delimiter: file.sheet === null ? layout.delimiter : null,
    headerRow: layout.headerRow,
    columns: shownColumns(columns),
    firstRows: rows.slice(0, inspectedRows),
  };
}

function shownColumns(columns: readonly PlannedColumn[]): LeadFileBatch["columns"] {
  return columns.map(({ header, target }) => ({ header, target }));
}

type RowReader = {
  delimiter: string | null;
  headerRow: number | null;
  columns: PlannedColumn[] | null;
  rows: CsvRows | NdjsonRows;
};

function rowReader(
  file: TableFile,
  options: FileFormatOptions,
  defaults: Pick<LeadFileOptions, "tags" | "source">,
  afterRow: number,
): RowReader {
  const overrides = columnOverrides(options.columns);
  if (file.format === "ndjson") {
    const rows = new NdjsonRows(overrides, defaults, afterRow);
    return { delimiter: null, headerRow: null, columns: null, rows };
  }
  const { sample, sampleIsAll } = file.text;
  const layout = csvLayout({ text: sample, isWholeFile: sampleIsAll }, file.delimiter, overrides);
  const { delimiter, headerRow, columns } = layout;
  return { delimiter, headerRow, columns, rows: new CsvRows(layout, defaults, afterRow) };
}

/** Posts batches, at most as many as were allowed. */
class BatchPort {
  readonly #port: LeadFileThread["port"];
  readonly #totalBytes: number;
  readonly #file: TableFile;
  readonly #room: () => Promise<void>;

  constructor(port: LeadFileThread["port"], allowed: number, totalBytes: number, file: TableFile) {
    this.#port = port;
    this.#file = file;
    this.#totalBytes = totalBytes;
    this.#room = allowance(port, allowed);
  }

  async post(rows: PackedRows, columns: LeadFileBatch["columns"], bytesRead: number): Promise<void> {
    await this.#room();
    const lastRow = rows.numbers.at(-1) ?? 0;
    const { sheet, text, format } = this.#file;
    const { encoding } = text;
    const file = { encoding, sheet, isNdjson: format === "ndjson", totalBytes: this.#totalBytes };
    const batch = { rows, lastRow, columns, bytesRead, ...file };
    this.#port.post(
      { kind: "batch", batch },
      arraysOf(rows).map(({ buffer }) => buffer),
    );
  }
}
