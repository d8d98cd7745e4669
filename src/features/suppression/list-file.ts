import { CsvRecords, newlineOf, type CsvRecord } from "../../lib/table-file/csv-records.ts";
import { delimiterHint, findHeader, guessDelimiter, type CsvSample } from "../../platform/imports/csv-header.ts";
import { decoderOf } from "../../lib/table-file/encodings.ts";
import { normalized, recognizedTarget } from "../../platform/imports/person-columns.ts";
import { unguardedCell } from "../../lib/table-file/csv-cell.ts";

/** A line of a list: its values, or why it cannot be read. `row` is numbered as in a spreadsheet. */
export type ListRow = { row: number; values: string[]; reason: string | null } | { row: number; problem: string };

/** The list as a whole cannot be read. The message is for the user who sent it. */
export class ListFileError extends Error {}

/** Amount of text needed to detect the format of the list. */
const sampleLength = 8192;
/** Amount processed at a time, which blocks the event loop for about a millisecond. */
const blockBytes = 16_384;

/**
 * Reads a list block by block as it arrives: CSV with a header that names value columns (email, domain, LinkedIn URL,
 * phone, value) and optionally a reason column, or lines without a header, each with a value and optionally a reason.
 * Empty lines are skipped. Memory is bounded by the longest line. Throws ListFileError for files that are not text.
 * `encoding`: the declared encoding; a byte order mark takes precedence. `delimiter`: detected if null.
 */
export async function* readListFile(
  stream: AsyncIterable<Uint8Array>,
  encoding: string | null = null,
  delimiter: string | null = null,
): AsyncGenerator<ListRow[], void, void> {
  let reader: RowReader | null = null;
  let waiting = "";
  for await (const text of decode(stream, encoding)) {
    waiting += text ?? "";
    if (reader === null && text !== null && waiting.length < sampleLength) continue;
    reader ??= rowReader({ text: waiting, isWholeFile: text === null }, delimiter);
    yield [...reader(waiting), ...(text === null ? reader(null) : [])];
    waiting = "";
  }
}

/** Consumes a block and returns the rows it completes. null marks the end. */
type RowReader = (block: string | null) => ListRow[];

/** Decodes text in the declared encoding or UTF-8, or in UTF-16 if a byte order mark says so. null marks the end. */
async function* decode(
  stream: AsyncIterable<Uint8Array>,
  encoding: string | null,
): AsyncGenerator<string | null, void, void> {
  let decoder: TextDecoder | null = null;
  for await (const bytes of stream) {
    decoder ??= decoderFor(bytes, encoding);
    for (let start = 0; start < bytes.length; start += blockBytes)
      yield decoder.decode(bytes.subarray(start, start + blockBytes), { stream: true });
  }
  yield decoder?.decode() ?? "";
  yield null;
}

function decoderFor(head: Uint8Array, encoding: string | null): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder("utf-16le");
  const isMarked = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  if (encoding !== null && !isMarked) return decoderOf(encoding);
  if (head.subarray(0, 512).includes(0)) throw new ListFileError("The file is not text. Save the list as CSV UTF-8.");
  return new TextDecoder("utf-8");
}

function rowReader(sample: CsvSample, delimiter: string | null): RowReader {
  const newline = newlineOf(sample.text);
  const layout = layoutOf(sample, newline, delimiter);
  const records = new CsvRecords(layout.delimiter, newline);
  return (block) =>
    records
      .take(block)
      .filter(({ row }) => row > layout.headerRow)
      .flatMap((record) => rowOf(record, layout) ?? []);
}

/** `values`: indexes of the value columns. `reason`: index of the reason column, or null. */
type Layout = { delimiter: string; headerRow: number; values: number[]; reason: number | null };

function layoutOf(sample: CsvSample, newline: "\n" | "\r", known: string | null): Layout {
  // Only the first record can be a header: after a value, a line that looks like a header is a value too.
  const header = findHeader(sample, { delimiter: known, maxRecords: 1 }, ({ cells }) => {
    const values = cells.flatMap((name, index) => (isValueHeader(name) ? [index] : []));
    const reason = cells.findIndex(isReasonHeader);
    return { values, reason: reason === -1 ? null : reason, isUsable: values.length > 0, understood: values.length };
  });
  if (header?.isUsable) {
    const { delimiter, row: headerRow, values, reason } = header;
    return { delimiter, headerRow, values, reason };
  }
  const { text } = sample;
  const hint = known === null ? delimiterHint(text) : null;
  const delimiter = known ?? hint ?? guessDelimiter(text.slice(0, text.indexOf(newline) + 1 || undefined));
  return { delimiter, headerRow: hint === null ? 0 : 1, values: [0], reason: 1 };
}

const valueHeaders = new Set(
  ["value", "values", "domain", "domains", "company domain", "entry", "address", "emails", "unsubscribed"].map(
    normalized,
  ),
);
const reasonHeaders = new Set(["reason", "why", "Grund", "motif", "motivo"].map(normalized));

function isValueHeader(name: string): boolean {
  const target = recognizedTarget(name);
  return target === "email" || target === "networkUrl" || target === "phone" || valueHeaders.has(normalized(name));
}

function isReasonHeader(name: string): boolean {
  return reasonHeaders.has(normalized(name)) || recognizedTarget(name) === "notes";
}

function rowOf(record: CsvRecord, layout: Layout): ListRow | null {
  const { row } = record;
  if ("problem" in record) return { row, problem: record.problem };
  const cell = (index: number): string => unguardedCell((record.cells[index] ?? "").trim());
  if (isEmpty(record.cells)) return null;
  const values = layout.values.map(cell).filter((value) => value !== "");
  if (values.length === 0) return { row, problem: "The row has no value." };
  if (values.some((value) => value.includes("\ufffd")))
    return { row, problem: "The row contains invalid UTF-8. Save the list as CSV UTF-8." };
  return { row, values, reason: (layout.reason !== null && cell(layout.reason)) || null };
}

function isEmpty(cells: string[]): boolean {
  return cells.every((text) => text.trim() === "");
}
