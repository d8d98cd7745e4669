import { unguardedCell } from "../../../lib/table-file/csv-cell.ts";
import { undecodableRow } from "../../../platform/imports/file-format.ts";
import type { PlannedColumn } from "./column-plan.ts";
import { CsvRecords, type CsvRecord } from "../../../lib/table-file/csv-records.ts";
import type { CsvLayout } from "./csv-layout.ts";
import type { LeadFileRow } from "./lead-file-batch.ts";
import { RawLead, type LeadDefaults } from "./raw-lead.ts";

/** Parses the text of a CSV file, block by block, into rows of leads. Skips rows up to `afterRow` and empty ones. */
export class CsvRows {
  readonly #records: CsvRecords;
  readonly #columns: PlannedColumn[];
  readonly #defaults: LeadDefaults;
  readonly #afterRow: number;

  constructor(layout: CsvLayout, defaults: LeadDefaults, afterRow: number) {
    this.#records = new CsvRecords(layout.delimiter, layout.newline);
    this.#columns = layout.columns;
    this.#defaults = defaults;
    this.#afterRow = Math.max(afterRow, layout.headerRow);
  }

  /** The rows that the next block completes; null marks the end of the file. */
  take(block: string | null, hasBadBytes: boolean): LeadFileRow[] {
    const rows: LeadFileRow[] = [];
    for (const record of this.#records.take(block)) {
      if (record.row <= this.#afterRow) continue;
      const row = this.#row(record, hasBadBytes);
      if (row) rows.push(row);
    }
    return rows;
  }

  #row(record: CsvRecord, hasBadBytes: boolean): LeadFileRow | null {
    const { row } = record;
    if ("problem" in record) return { row, errors: [{ path: "", message: record.problem }] };
    const cells = record.cells.map((cell) => cell.trim());
    if (cells.every((cell) => cell === "")) return null;
    const problem = tooManyCells(cells, this.#columns.length) ?? (hasBadBytes ? undecodableRow(cells) : null);
    if (problem) return { row, errors: [{ path: "", message: problem }] };
    const lead = new RawLead();
    cells.forEach((cell, index) => {
      const column = this.#columns[index];
      if (cell !== "" && column) lead.putText(column, unguardedCell(cell));
    });
    return { row, ...lead.finish(this.#defaults) };
  }
}

function tooManyCells(cells: string[], columns: number): string | null {
  if (cells.length <= columns || cells.slice(columns).every((cell) => cell === "")) return null;
  return `The row has ${cells.length} cells, but the header names ${columns} columns. A cell that has the separator in it must be in quotes.`;
}
