import Papa from "papaparse";

/** A record of a CSV file: its cells, or why it cannot be read. */
export type CsvRecord = { row: number; cells: string[] } | { row: number; problem: string };

/** A longer record is a mistake in the file: valid records are far shorter. */
export const maxRecordLength = 1_048_576;
/**
 * Maximum text that is read again after misplaced quotes, in characters. Normal files need a few lines; a malicious
 * file would otherwise take quadratic time.
 */
const maxRereadLength = 16 * maxRecordLength;

const unclosed = "A quote in this row is not properly closed.";

/**
 * Cuts CSV text that comes in blocks into records, as spreadsheets do: RFC 4180, and quotes inside a cell that is not
 * properly quoted are taken as they stand. Memory is bound by the longest record.
 *
 * A quote that is opened and never closed would swallow the records behind it. It shows by running past the end of
 * its line into a quote that can't close it, to the end of the file, or beyond the longest record. Then only the line
 * it stands in is given up, and reading resumes with the next.
 *
 * `row` counts as a spreadsheet does: the first record is 1, empty records count too and come with an empty cell.
 */
export class CsvRecords {
  readonly #delimiter: string;
  readonly #newline: string;
  #text = "";
  #row = 0;
  #rereadLength = 0;
  /** Up to here, no cell spans lines: an earlier quote had no closing one. */
  #plainLength = 0;
  /** Inside a line that is being skipped because it is too long. */
  #skipsLine = false;

  constructor(delimiter: string, newline: string) {
    this.#delimiter = delimiter;
    this.#newline = newline;
  }

  /** Accepts the next block and returns the records that it completes; null is the end of the file. */
  take(block: string | null): CsvRecord[] {
    this.#text += block ?? "";
    const isLast = block === null;
    const records: CsvRecord[] = [];
    if (this.#skipsLine) this.#dropLine();
    while (this.#parse(records, isLast) || this.#giveUpLongRecord(records)) this.#parsePlainLines(records);
    return records;
  }

  /** Number of rows returned or skipped so far. */
  get row(): number {
    return this.#row;
  }

  /** Counts rows read by another parser, which is only allowed while `rest` returned text. */
  skip(rows: number): void {
    this.#row += rows;
  }

  /**
   * Returns the accepted text that is not a complete record yet, so that another parser can continue from there; null
   * in the middle of a skipped line.
   */
  rest(): string | null {
    if (this.#skipsLine) return null;
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** Parses the available text. Returns true if it stopped at a broken record, whose line is skipped. */
  #parse(records: CsvRecord[], isLast: boolean): boolean {
    let start = 0;
    let brokenEnd = -1;
    let isOpen = false;
    const parser = this.#parser((cells, errors, end) => {
      isOpen = errors.some(isUnclosed);
      if (isOpen || (errors.length > 0 && cells.some((cell) => cell.includes(this.#newline)))) {
        brokenEnd = end;
        parser.abort();
      } else if (start < this.#text.length) {
        this.#add(records, { cells });
        start = end;
      }
    });
    parser.parse(this.#text, 0, !isLast);
    this.#text = this.#text.slice(start);
    if (brokenEnd === -1) return false;
    this.#rereadLength += brokenEnd - start;
    this.#giveUpLine(records, unclosed, isOpen || this.#rereadLength > maxRereadLength ? brokenEnd - start : 0);
    return true;
  }

  /** Parses lines that are known to be separate records, one by one. */
  #parsePlainLines(records: CsvRecord[]): void {
    let start = 0;
    while (start < this.#plainLength) {
      const end = this.#text.indexOf(this.#newline, start);
      if (end === -1) break;
      this.#add(records, this.#parseLine(this.#text.slice(start, end)));
      start = end + this.#newline.length;
    }
    this.#text = this.#text.slice(start);
    this.#plainLength = 0;
  }

  #parseLine(line: string): { cells: string[] } | { problem: string } {
    let record: { cells: string[] } | { problem: string } = { cells: [""] };
    const parser = this.#parser((cells, errors) => {
      record = errors.some(isUnclosed) ? { problem: unclosed } : { cells };
    });
    parser.parse(line, 0, false);
    return record;
  }

  #parser(step: (cells: string[], errors: { code: string }[], end: number) => void): InstanceType<typeof Papa.Parser> {
    return new Papa.Parser({
      delimiter: this.#delimiter,
      newline: this.#newline,
      step: ({ data, errors, meta }) => step(data[0] ?? [], errors, meta.cursor),
    });
  }

  /** Skips the first line if the record that starts with it is too long. */
  #giveUpLongRecord(records: CsvRecord[]): boolean {
    const { length } = this.#text;
    if (length <= maxRecordLength) return false;
    const isOneLine = !this.#text.includes(this.#newline);
    this.#giveUpLine(records, isOneLine ? `This row is longer than ${maxRecordLength} characters.` : unclosed, length);
    return !this.#skipsLine;
  }

  #giveUpLine(records: CsvRecord[], problem: string, plainLength: number): void {
    this.#add(records, { problem });
    this.#plainLength = Math.max(0, plainLength - this.#dropLine());
  }

  /** Drops the available rest of the current line and returns its length. */
  #dropLine(): number {
    const end = this.#text.indexOf(this.#newline);
    this.#skipsLine = end === -1;
    const length = this.#skipsLine ? this.#text.length : end + this.#newline.length;
    this.#text = this.#text.slice(length);
    return length;
  }

  #add(records: CsvRecord[], record: { cells: string[] } | { problem: string }): void {
    this.#row += 1;
    records.push({ row: this.#row, ...record });
  }
}

function isUnclosed(error: { code: string }): boolean {
  return error.code === "MissingQuotes";
}

/**
 * Returns how the lines of a text end, for CsvRecords. With `\n`, a preceding `\r` is part of the last cell and must be
 * trimmed.
 */
export function newlineOf(sample: string): "\n" | "\r" {
  return sample.includes("\n") || !sample.includes("\r") ? "\n" : "\r";
}
