import Papa from "papaparse";
import { LeadFileError } from "./lead-file.ts";

/** A record of a CSV file: its cells, or why it can't be read. */
export type CsvRecord = { row: number; cells: string[] } | { row: number; problem: string };

/** A longer record is a mistake in the file: the longest lead that is accepted has far less. */
export const maxRecordLength = 1_048_576;
/**
 * Text that may be read again behind broken quotes, in characters. Honest files need a few lines of it; a file made of
 * nothing but opened quotes would otherwise cost the square of its size.
 */
const maxRereadLength = 256 * maxRecordLength;

/**
 * Cuts CSV text that comes in blocks into records, as spreadsheets do: RFC 4180, and quotes inside a cell that is not
 * properly quoted are taken as they stand. Memory is bound by the longest record.
 *
 * A quote that is opened and never closed would swallow the records behind it. It shows by running past the end of
 * line into a quote that can't close it, to the end of the file or beyond the longest record. Then only the line it
 * stands in is given up, and reading resumes with the next.
 *
 * `row` counts as a spreadsheet does: the first record is 1, empty records count too and come with empty cells.
 */
export class CsvRecords {
  readonly #delimiter: string;
  readonly #newline: string;
  #text = "";
  #row = 0;
  #rereadLength = 0;
  /** Inside a line that is being given up because it is too long. */
  #skipsLine = false;

  constructor(delimiter: string, newline: string) {
    this.#delimiter = delimiter;
    this.#newline = newline;
  }

  /** Takes the next block and answers the records that it completes; null is the end of the file. */
  take(block: string | null): CsvRecord[] {
    this.#text += block ?? "";
    const isLast = block === null;
    const records: CsvRecord[] = [];
    if (this.#skipsLine && !this.#skipLine()) return records;
    while (this.#parse(records, isLast) || this.#giveUpLongRecord(records));
    return records;
  }

  /** Parses what is there. True when it stopped at a broken record, which is given up, and there may be more. */
  #parse(records: CsvRecord[], isLast: boolean): boolean {
    if (this.#text === "") return false;
    let start = 0;
    let isBroken = false;
    const parser = new Papa.Parser({
      delimiter: this.#delimiter,
      newline: this.#newline,
      step: ({ data, errors, meta }) => {
        const cells = data[0] ?? [];
        isBroken = errors.length > 0 && this.#runsOn(cells, errors);
        if (isBroken) {
          this.#rereadLength += meta.cursor - start;
          parser.abort();
          return;
        }
        // Behind the final line break there is no record.
        if (isLast && start === this.#text.length) return;
        this.#row += 1;
        records.push({ row: this.#row, cells });
        start = meta.cursor;
      },
    });
    parser.parse(this.#text, 0, !isLast);
    this.#text = this.#text.slice(start);
    if (isBroken) this.#giveUpLine(records, "A quote in this row is opened but not properly closed.");
    return isBroken;
  }

  /** Whether a record with misplaced quotes goes beyond its line because of them. */
  #runsOn(cells: string[], errors: { code: string }[]): boolean {
    return errors.some(({ code }) => code === "MissingQuotes") || cells.some((cell) => cell.includes(this.#newline));
  }

  #giveUpLongRecord(records: CsvRecord[]): boolean {
    if (this.#text.length <= maxRecordLength) return false;
    this.#rereadLength += this.#text.length;
    const opensQuote = this.#text.includes(this.#newline);
    this.#giveUpLine(
      records,
      opensQuote
        ? `A quote in this row is not closed within ${maxRecordLength} characters.`
        : `This row is longer than ${maxRecordLength} characters.`,
    );
    return !this.#skipsLine;
  }

  #giveUpLine(records: CsvRecord[], problem: string): void {
    this.#row += 1;
    records.push({ row: this.#row, problem });
    if (this.#rereadLength > maxRereadLength)
      throw new LeadFileError("brokenQuotes", `Too many quotes are opened and never closed, up to row ${this.#row}. Save the list as CSV again.`);
    this.#skipsLine = true;
    this.#skipLine();
  }

  /** Drops what is left of the current line. False when its end is still to come. */
  #skipLine(): boolean {
    const end = this.#text.indexOf(this.#newline);
    this.#skipsLine = end === -1;
    this.#text = this.#skipsLine ? "" : this.#text.slice(end + this.#newline.length);
    return !this.#skipsLine;
  }
}

/** How the lines of a text end, for CsvRecords: with `\n` a `\r` before it is part of the last cell, to be trimmed. */
export function newlineOf(sample: string): "\n" | "\r" {
  return sample.includes("\n") || !sample.includes("\r") ? "\n" : "\r";
}
