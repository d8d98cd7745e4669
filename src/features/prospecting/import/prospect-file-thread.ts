import { garbageCollector } from "../../../lib/concurrency/garbage.ts";
import { refuseMissingColumns } from "../../../platform/imports/chosen-columns.ts";
import { normalized } from "../../../platform/imports/person-columns.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import type { CsvSample } from "../../../platform/imports/csv-header.ts";
import type { FileFormatOptions } from "../../../platform/imports/file-format.ts";
import { ImportFileError, type ImportFileReason } from "../../../platform/imports/import-file-error.ts";
import { openTable, withSheets, type TableFile } from "../../../platform/imports/table-file.ts";
import { allowance, type ThreadPort } from "../../../threads.ts";
import { prospectTarget } from "./prospect-columns.ts";
import { prospectTargetNames, type ProspectTarget } from "./prospect-targets.ts";
import { ProspectCsvRows, prospectLayout, type ProspectLayout } from "./prospect-csv.ts";
import { ProspectNdjsonRows } from "./prospect-ndjson.ts";
import { arraysOf, type PackedRows } from "./row-buffer.ts";
import { RowWriter } from "./row-writer.ts";

/** Garbage is mostly text that was read or sent: 1 MB per batch. */
const batchesBetweenCollections = 6;
/** About 40,000 rows. A full collection traverses all cached titles and places. */
const batchesBetweenFullCollections = 48;

export type ProspectFileOptions = FileFormatOptions & {
  path: string;
  /** Source for rows that do not state one. */
  source: string | null;
  /** Rows up to this one were stored before an interruption and are skipped. */
  afterRow: number;
  batchRows: number;
};

/** Startup data of the thread. The main thread owns the descriptor and closes it. */
export type ProspectFileRequest = { descriptor: number; options: ProspectFileOptions; batchesInFlight: number };

export type ProspectFileAnswer =
  | {
      kind: "batch";
      packed: PackedRows;
      columns: { header: string; target: string }[];
      ignored: string[];
      encoding: TextEncoding;
      sheet: string | null;
      bytesRead: number;
    }
  | { kind: "refused"; reason: ImportFileReason; message: string; details: Record<string, unknown> }
  | { kind: "done" };

/** The task "prospect-file". Every "next" message allows one more batch. */
export type ProspectFileThread = {
  task: "prospect-file";
  init: ProspectFileRequest;
  port: ThreadPort<"next", ProspectFileAnswer>;
};

/** Runs the thread. File errors are sent as messages; any other error ends the thread. */
export async function runProspectFileThread(
  port: ProspectFileThread["port"],
  { descriptor, options, batchesInFlight }: ProspectFileRequest,
): Promise<void> {
  const room = allowance(port, batchesInFlight);
  try {
    const file = await openTable(descriptor, options);
    const { text, sheet } = file;
    const writer = new RowWriter();
    const reader = rowReader(file, options, writer);
    const collect = garbageCollector(batchesBetweenCollections, batchesBetweenFullCollections);
    for (let block: string | null = ""; block !== null;) {
      block = await text.next();
      reader.take(block, text.hasBadBytes);
      const { buffer } = writer;
      while (buffer.count >= options.batchRows || (block === null && buffer.count > 0)) {
        await room();
        const packed = buffer.take(options.batchRows);
        const moved = arraysOf(packed).map(({ buffer }) => buffer);
        const { encoding, bytesRead } = text;
        const { columns, ignored } = reader;
        port.post({ kind: "batch", packed, columns, ignored: [...ignored], encoding, sheet, bytesRead }, moved);
        collect();
      }
    }
    port.post({ kind: "done" });
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    const { reason, message, details } = error;
    port.post({ kind: "refused", reason, message, details });
  }
}

function rowReader(file: TableFile, options: ProspectFileOptions, to: RowWriter): ProspectCsvRows | ProspectNdjsonRows {
  const { columns, source, afterRow } = options;
  const overrides = overridesIn(columns);
  if (file.format === "ndjson") return new ProspectNdjsonRows(overrides, source, afterRow, to);
  const { sample, sampleIsAll } = file.text;
  const layout = layoutOf(file, { text: sample, isWholeFile: sampleIsAll }, overrides);
  refuseMissingColumns(Object.keys(columns ?? {}), layout.headers);
  return new ProspectCsvRows(layout, source, afterRow, to);
}

function layoutOf(file: TableFile, sample: CsvSample, overrides: Map<string, ProspectTarget>): ProspectLayout {
  try {
    return prospectLayout(sample, file.delimiter, overrides);
  } catch (error) {
    throw error instanceof ImportFileError ? withSheets(error, file) : error;
  }
}

function overridesIn(columns: Record<string, string> | null): Map<string, ProspectTarget> {
  return new Map(
    Object.entries(columns ?? {}).map(([header, text]) => {
      const target = prospectTarget(text);
      if (target !== null) return [normalized(header), target];
      throw new ImportFileError(
        "badColumns",
        `"${text}" is not a valid target for the column "${header}". Use one of ${prospectTargetNames.join(", ")}.`,
        { header, target: text, targets: prospectTargetNames },
      );
    }),
  );
}
