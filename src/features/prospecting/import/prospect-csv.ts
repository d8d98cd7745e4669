import { normalized } from "../../../platform/imports/person-columns.ts";
import { CsvRecords, type CsvRecord } from "../../../lib/table-file/csv-records.ts";
import { findHeader, type CsvSample } from "../../../platform/imports/csv-header.ts";
import { undecodableRow } from "../../../platform/imports/file-format.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import { incomplete, PlainRecord } from "../../../lib/table-file/plain-record.ts";
import {
  noteIgnored,
  profileOwner,
  prospectTargets,
  tellsApart,
  understoodProspectHeaders,
} from "./prospect-columns.ts";
import type { ProspectTarget } from "./prospect-targets.ts";
import { numberOfTarget } from "./row-text.ts";
import type { RowWriter } from "./row-writer.ts";

/** Layout of a CSV file. `headerRow` is numbered as in CsvRecords. `ignored`: unrecognized headers. */
export type ProspectLayout = {
  delimiter: string;
  newline: string;
  headerRow: number;
  headers: string[];
  targets: ProspectTarget[];
  ignored: ReadonlySet<string>;
};

/**
 * Detects the delimiter and columns of a prospect file. Throws ImportFileError if no header can identify prospects or
 * companies.
 */
export function prospectLayout(
  sample: CsvSample,
  delimiter: string | null,
  overrides: ReadonlyMap<string, ProspectTarget>,
): ProspectLayout {
  // Computed once for all candidates with a delimiter.
  const profileColumns = new Map<string, number[]>();
  const header = findHeader(sample, { delimiter }, ({ delimiter: one, cells, records }) => {
    const ofPeople = profileColumns.get(one) ?? columnsOfPeople(records);
    profileColumns.set(one, ofPeople);
    const targets = prospectTargets(cells, overrides, ofPeople);
    const understood = new Set(targets.filter((target) => target !== "ignore")).size;
    return { targets, isUsable: tellsApart(targets), understood };
  });
  if (!header?.isUsable) throw noHeader(header?.cells ?? []);
  const { row: headerRow, cells: headers, targets } = header;
  const ignored = new Set<string>();
  noteIgnored(ignored, headers, targets, overrides);
  return { delimiter: header.delimiter, newline: header.newline, headerRow, headers, targets, ignored };
}

/** Columns that contain more profiles of people than of companies. */
function columnsOfPeople(records: readonly string[][]): number[] {
  const balance = new Map<number, number>();
  for (const cells of records)
    for (const [column, cell] of cells.entries()) {
      const owner = profileOwner(cell);
      if (owner !== null) balance.set(column, (balance.get(column) ?? 0) + (owner === "person" ? 1 : -1));
    }
  return [...balance].flatMap(([column, more]) => (more > 0 ? [column] : []));
}

function noHeader(seen: string[]): ImportFileError {
  const found = seen.slice(0, 30).map((header) => normalized(header).slice(0, 100));
  return new ImportFileError(
    "noColumns",
    "No header line that tells prospects or companies apart was found: people need an email, a LinkedIn URL, or a name " +
      `and a company; companies a name or a website. Names such as these are understood: ${understoodProspectHeaders.join(", ")}.`,
    { headers: found, understood: understoodProspectHeaders },
  );
}

/** Converts the text of a CSV file, block by block, into prospects. Skips rows up to `afterRow` and empty rows. */
export class ProspectCsvRows {
  /** Unrecognized headers. */
  readonly ignored: ReadonlySet<string>;
  /** Target of each column. */
  readonly columns: { header: string; target: string }[];
  readonly #records: CsvRecords;
  readonly #record: PlainRecord | null;
  /** Target numbers. */
  readonly #targets: number[];
  readonly #afterRow: number;
  readonly #source: string | null;
  readonly #to: RowWriter;
  readonly #text = new PlainText();
  /** Whether plain records are read from `#text`; otherwise, `#records` holds the unprocessed text. */
  #isPlain: boolean;

  constructor(
    { delimiter, newline, headerRow, headers, targets, ignored }: ProspectLayout,
    source: string | null,
    afterRow: number,
    to: RowWriter,
  ) {
    this.ignored = ignored;
    this.columns = headers.map((header, at) => ({ header: header.trim(), target: targets[at] ?? "ignore" }));
    this.#records = new CsvRecords(delimiter, newline);
    this.#record = /^[\0-\x7f]$/.test(delimiter) ? new PlainRecord(delimiter, newline) : null;
    this.#isPlain = this.#record !== null;
    this.#targets = targets.map(numberOfTarget);
    this.#afterRow = Math.max(afterRow, headerRow);
    this.#source = source;
    this.#to = to;
  }

  /** Writes the rows completed by the next block. null marks the end of the file. */
  take(block: string | null, hasBadBytes: boolean): void {
    if (!this.#isPlain) return this.#takeAny([block], hasBadBytes);
    this.#text.add(block ?? "");
    const isOdd = hasBadBytes || block === null;
    if (!isOdd && this.#takePlain(this.#record!)) return;
    const text = this.#text.take();
    this.#takeAny(block === null ? [text, null] : [text], hasBadBytes);
  }

  /** Reads plain records as far as possible. False if the remaining text needs the full rules. */
  #takePlain(record: PlainRecord): boolean {
    const { bytes, length } = this.#text;
    let start = 0;
    let next: number;
    let row = this.#records.row;
    while ((next = record.read(bytes, start, length)) >= 0) {
      if (++row > this.#afterRow) this.#writePlain(row, record, bytes);
      start = next;
    }
    this.#records.skip(row - this.#records.row);
    this.#text.drop(start);
    // Lines longer than a block are left to the full rules, which limit their length.
    return next === incomplete && this.#text.length < longLine;
  }

  #takeAny(blocks: (string | null)[], hasBadBytes: boolean): void {
    for (const block of blocks)
      for (const record of this.#records.take(block))
        if (record.row > this.#afterRow) this.#writeRecord(record, hasBadBytes);
    const rest = this.#record === null || hasBadBytes ? null : this.#records.rest();
    this.#isPlain = rest !== null;
    if (rest !== null) this.#text.add(rest);
  }

  #writePlain(row: number, { count, starts, ends, hashes }: PlainRecord, bytes: Uint8Array): void {
    const targets = this.#targets;
    const to = this.#to.text;
    to.clear();
    let isEmpty = true;
    for (let column = 0; column < count; column++) {
      const start = starts[column]!;
      const end = ends[column]!;
      if (start === end) continue;
      const target = targets[column];
      if (target === undefined) {
        if (!isBlank(bytes.subarray(start, end))) return this.#to.refuse(row, tooManyCells(count, targets.length));
      } else if (to.put(target, bytes, start, end, hashes[column]!)) isEmpty = false;
    }
    if (!isEmpty) this.#write(row);
  }

  #writeRecord(record: CsvRecord, hasBadBytes: boolean): void {
    if ("problem" in record) return this.#to.refuse(record.row, record.problem);
    const { row, cells } = record;
    const targets = this.#targets;
    const to = this.#to.text;
    to.clear();
    let isEmpty = true;
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at]!;
      if (cell.trim() === "") continue;
      const target = targets[at];
      if (target === undefined) return this.#to.refuse(row, tooManyCells(cells.length, targets.length));
      to.putText(target, cell);
      isEmpty = false;
    }
    if (isEmpty) return;
    const problem = hasBadBytes ? undecodableRow(cells) : null;
    if (problem === null) this.#write(row);
    else this.#to.refuse(row, problem);
  }

  #write(row: number): void {
    const { text } = this.#to;
    if (this.#source !== null && !text.has(source)) text.set(source, this.#source);
    this.#to.write(row);
  }
}

const source = numberOfTarget("source");

/** Length of a block of ASCII text. */
const longLine = 65_536;

/** Text for plain records, in UTF-8: the rest of the previous block, followed by the next one. */
class PlainText {
  bytes = new Uint8Array(startBytes);
  length = 0;

  add(text: string): void {
    const most = this.length + text.length * 3;
    if (most > this.bytes.length) {
      const before = this.bytes;
      this.bytes = new Uint8Array(most);
      this.bytes.set(before);
    }
    this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  /** Drops the first bytes. */
  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.length);
    this.length -= count;
  }

  take(): string {
    const text = decoder.decode(this.bytes.subarray(0, this.length));
    this.length = 0;
    return text;
  }
}

/** Enough for a mostly ASCII block and the rest of the previous one. */
const startBytes = 262_144;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function isBlank(bytes: Uint8Array): boolean {
  return decoder.decode(bytes).trim() === "";
}

function tooManyCells(cells: number, columns: number): string {
  return `The row has ${cells} cells, but the header names ${columns} columns. Quote cells that contain the delimiter.`;
}
