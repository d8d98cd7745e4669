import { maxRecordLength } from "../../../lib/table-file/csv-records.ts";

export type NdjsonLine = { row: number; line: string };

/** Splits the text of an NDJSON file into numbered lines, block by block. Holds at most a line of the maximum length. */
export class NdjsonLines {
  #row = 0;
  #text = "";

  /** The lines that the next block completes; null marks the end of the file. */
  take(block: string | null): NdjsonLine[] {
    const lines = (this.#text + (block ?? "")).split("\n");
    this.#text = block === null ? "" : (lines.pop() ?? "");
    // A line that is too long is cut, but stays too long.
    if (this.#text.length > 2 * maxRecordLength) this.#text = this.#text.slice(0, maxRecordLength + 1);
    return lines.map((line) => ({ row: ++this.#row, line }));
  }
}

export function isTooLong(line: string): boolean {
  return line.length > maxRecordLength;
}
