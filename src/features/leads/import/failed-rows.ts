import { pause } from "../../../lib/concurrency/pause.ts";
import { ApiError } from "../../../platform/base/errors.ts";
import { csvCell, unguardedCell } from "../../../lib/table-file/csv-cell.ts";
import { CsvRecords } from "../../../lib/table-file/csv-records.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import { parseJson } from "../../../platform/base/text.ts";
import { resolveFormat, type FileFormat } from "../../../platform/imports/file-format.ts";
import { problemHeader } from "../../../platform/imports/person-columns.ts";
import type { ImportReportRow } from "../change-model.ts";
import { columnOverrides } from "./column-plan.ts";
import { csvLayout } from "./csv-layout.ts";
import { isTooLong, NdjsonLines } from "./ndjson-lines.ts";
import { isObject } from "./raw-lead.ts";
import { textBlocks, type Block } from "./text-blocks.ts";

export type FailedRowsOptions = {
  format: FileFormat;
  encoding: TextEncoding;
  delimiter: string | null;
  columns: Record<string, string> | null;
  /** Headers of the file that was imported, in any order; null if they are not known. */
  headers: readonly string[] | null;
};

type Failed = Pick<ImportReportRow, "row" | "errors">;

/**
 * Reads the file of an import again and yields a file of the rows that failed, in its own format, each with the reason.
 * `failed`: those rows, in order. Holds one block of the file at a time, and lets other work run after each. Throws
 * CONFLICT if it is another file.
 */
export async function* failedRowsText(
  file: AsyncIterable<Uint8Array>,
  failed: AsyncIterator<Failed>,
  options: FailedRowsOptions,
): AsyncGenerator<string> {
  // Closed in any case: after the last failed row, the rest of the file is not read.
  await using blocks = textBlocks(file, options.encoding);
  const { value: sample, done } = await blocks.next();
  if (done === true) throw anotherFile();
  const isNdjson = resolveFormat(options.format, sample.text) === "ndjson";
  yield* (isNdjson ? failedLines : failedRecords)(sample, blocks, failed, options);
}

type Blocks = AsyncGenerator<Block>;

/** A CSV file, with the columns as they were and a last one that says why. */
async function* failedRecords(
  sample: Block,
  blocks: Blocks,
  failed: AsyncIterator<Failed>,
  options: FailedRowsOptions,
): AsyncGenerator<string> {
  const overrides = columnOverrides(options.columns);
  const layout = csvLayout({ text: sample.text, isWholeFile: sample.isWholeFile }, options.delimiter, overrides);
  const { headers } = options;
  const found = layout.columns.map(({ header }) => header);
  if (headers !== null && headers.some((header) => !found.includes(header))) throw anotherFile();
  // A file of failed rows that is imported again has the problems of the time before.
  const kept = found.map((header) => header !== problemHeader);
  yield lineOf([...found.filter((_, index) => kept[index]), problemHeader]);

  const records = new CsvRecords(layout.delimiter, layout.newline);
  yield* matched(
    sample,
    blocks,
    failed,
    (block) => records.take(block),
    (record, problem) => {
      const cells = "cells" in record ? record.cells.map((cell) => unguardedCell(cell.trim())) : [];
      const width = Math.max(found.length, cells.length);
      const all = Array.from({ length: width }, (_, index) => cells[index] ?? "").filter(
        (_, index) => kept[index] ?? true,
      );
      return lineOf([...all, problem]);
    },
  );
}

/** An NDJSON file, with a property that says why. A line that is no object follows one that has this property alone. */
async function* failedLines(
  sample: Block,
  blocks: Blocks,
  failed: AsyncIterator<Failed>,
  { headers }: FailedRowsOptions,
): AsyncGenerator<string> {
  const lines = new NdjsonLines();
  yield* matched(
    sample,
    blocks,
    failed,
    (block) => lines.take(block),
    ({ row, line }, problem) => {
      if (isTooLong(line)) return jsonLine({ [problemHeader]: `Line ${row}: ${problem}` });
      const value = parsed(line);
      if (!isObject(value)) return `${jsonLine({ [problemHeader]: `Line ${row}: ${problem}` })}${line.trim()}\n`;
      const { [problemHeader]: _before, ...rest } = value;
      const names = namesOf(rest);
      // Only some names are known of an import that was interrupted, or of a line with invalid bytes.
      if (headers !== null && names.length > 0 && !names.some((name) => headers.includes(name))) throw anotherFile();
      return jsonLine({ ...rest, [problemHeader]: problem });
    },
  );
}

/** The texts of the rows that failed, made by `textOf` with the reason, a block at a time. */
async function* matched<Row extends { row: number }>(
  sample: Block,
  blocks: Blocks,
  failed: AsyncIterator<Failed>,
  take: (block: string | null) => Iterable<Row>,
  textOf: (row: Row, problem: string) => string,
): AsyncGenerator<string> {
  let next = await failed.next();
  let block: string | null = sample.text;
  while (next.done !== true) {
    let text = "";
    for (const row of take(block)) {
      if (next.done === true || row.row < next.value.row) continue;
      text += textOf(row, next.value.errors.map(errorText).join(" "));
      next = await failed.next();
    }
    if (text !== "") yield text;
    if (block === null) return;
    await pause();
    const following: IteratorResult<Block> = await blocks.next();
    block = following.done === true ? null : following.value.text;
  }
}

/** The names by which the import knows the columns of an object; a value of null has none. */
function namesOf(value: Record<string, unknown>): string[] {
  return Object.entries(value).flatMap(([name, part]) => (part === null ? [] : [name.trim()]));
}

/** Undefined if it is not JSON. */
function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function jsonLine(value: Record<string, unknown>): string {
  return `${JSON.stringify(value)}\n`;
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
