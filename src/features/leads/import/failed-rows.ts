import { pause } from "../../../lib/concurrency/pause.ts";
import { ApiError } from "../../../platform/base/errors.ts";
import { csvCell, unguardedCell } from "../../../lib/table-file/csv-cell.ts";
import { CsvRecords } from "../../../lib/table-file/csv-records.ts";
import { decoderOf, type TextEncoding } from "../../../lib/table-file/encodings.ts";
import { problemHeader } from "../../../platform/imports/person-columns.ts";
import type { ImportReportRow } from "../change-model.ts";
import { columnOverrides } from "./column-plan.ts";
import { csvLayout } from "./csv-layout.ts";

/**
 * As when a file is imported: in the first of these blocks the delimiter and the header are found. Small enough to be
 * parsed without delaying other requests; the network may deliver much more at once.
 */
const blockBytes = 65_536;

export type FailedRowsOptions = {
  encoding: TextEncoding;
  delimiter: string | null;
  columns: Record<string, string> | null;
  /** Headers of the file that was imported, in any order; null if they are not known. */
  headers: readonly string[] | null;
};

type Failed = Pick<ImportReportRow, "row" | "errors">;

/**
 * Reads the file of an import again and yields a CSV file of the rows that failed, with their columns as they were and a
 * last one that says why. `failed`: those rows, in order. Holds one block of the file at a time, and lets other work run
 * after each. Throws CONFLICT if it is another file.
 */
export async function* failedRowsCsv(
  file: AsyncIterable<Uint8Array>,
  failed: AsyncIterator<Failed>,
  options: FailedRowsOptions,
): AsyncGenerator<string> {
  // Closed in any case: after the last failed row, the rest of the file is not read.
  await using blocks = textBlocks(file, options.encoding);
  const { value: sample, done } = await blocks.next();
  if (done === true) throw anotherFile();
  const overrides = columnOverrides(options.columns);
  const layout = csvLayout({ text: sample.text, isWholeFile: sample.isWholeFile }, options.delimiter, overrides);
  const { headers } = options;
  const found = layout.columns.map(({ header }) => header);
  if (headers !== null && headers.some((header) => !found.includes(header))) throw anotherFile();
  // A file of failed rows that is imported again has the problems of the time before.
  const kept = found.map((header) => header !== problemHeader);
  yield lineOf([...found.filter((_, index) => kept[index]), problemHeader]);

  const records = new CsvRecords(layout.delimiter, layout.newline);
  let next = await failed.next();
  let block: string | null = sample.text;
  while (next.done !== true) {
    let lines = "";
    for (const record of records.take(block)) {
      if (next.done === true || record.row < next.value.row) continue;
      const cells = "cells" in record ? record.cells.map((cell) => unguardedCell(cell.trim())) : [];
      const width = Math.max(found.length, cells.length);
      const all = Array.from({ length: width }, (_, index) => cells[index] ?? "").filter(
        (_, index) => kept[index] ?? true,
      );
      lines += lineOf([...all, next.value.errors.map(errorText).join(" ")]);
      next = await failed.next();
    }
    if (lines !== "") yield lines;
    if (block === null) return;
    await pause();
    const following: IteratorResult<Block> = await blocks.next();
    block = following.done === true ? null : following.value.text;
  }
}

type Block = { text: string; isWholeFile: boolean };

/** The text of a file; the first block is the sample. */
async function* textBlocks(file: AsyncIterable<Uint8Array>, encoding: TextEncoding): AsyncGenerator<Block> {
  const decoder = decoderOf(encoding);
  let head: Uint8Array[] = [];
  let length = 0;
  let isSampled = false;
  function* decoded(bytes: Uint8Array): Generator<Block> {
    for (let at = 0; at < bytes.length; at += blockBytes)
      yield { text: decoder.decode(bytes.subarray(at, at + blockBytes), { stream: true }), isWholeFile: false };
  }
  for await (const bytes of file) {
    if (isSampled) {
      yield* decoded(bytes);
      continue;
    }
    head.push(bytes);
    length += bytes.length;
    if (length < blockBytes) continue;
    const all = Buffer.concat(head);
    head = [];
    isSampled = true;
    yield* decoded(all);
  }
  if (!isSampled && length > 0) yield { text: decoder.decode(Buffer.concat(head)), isWholeFile: true };
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function errorText({ path, message }: { path: string; message: string }): string {
  return path === "" ? message : `${path}: ${message}`;
}

function anotherFile(): ApiError {
  return new ApiError("CONFLICT", {
    message: "This is not the file of the import: its columns differ. Send the file that was imported, unchanged.",
  });
}
