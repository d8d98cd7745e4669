import type { FieldError } from "../../../platform/base/errors.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import type { DetectedFormat, FileFormatOptions } from "../../../platform/imports/file-format.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import type { LeadContent, LeadIdentity } from "../model.ts";
import type { PackedRows } from "./packed-rows.ts";

export type LeadFileOptions = FileFormatOptions & {
  path: string;
  /** Number of the user in the store. */
  owner: number;
  /** Added to the tags of each row. */
  tags: string[];
  /** The source of rows without one. */
  source: string | null;
  /** Members to whom rows are assigned in turn; none: rows stay unassigned. */
  assignTo: readonly UserId[];
  /** Skips rows up to this one, which were stored before an interruption. */
  afterRow: number;
  batchRows: number;
};

/**
 * A row of the file: a valid lead, or its errors. `row` is the row number in a spreadsheet: header and empty rows count,
 * and a row with line breaks in its cells is one row. For NDJSON it is the line.
 */
export type LeadFileRow =
  | { row: number; content: LeadContent; identity: LeadIdentity }
  | { row: number; errors: FieldError[] };

export type LeadFileBatch = {
  rows: PackedRows;
  /** The last row in the batch. */
  lastRow: number;
  /** Size of the file. */
  encoding: TextEncoding;
  /** Targets of the columns that were read so far. */
  columns: { header: string; target: string }[];
  /** Name of the sheet; null unless the file is a workbook. */
  sheet: string | null;
  isNdjson: boolean;
  /** Bytes read so far; slightly ahead of the rows. */
  bytesRead: number;
  totalBytes: number;
};

/** How a file would be read. `delimiter` and `headerRow` are null for NDJSON, `delimiter` and `encoding` for a workbook. */
export type LeadFileInspection = {
  format: DetectedFormat;
  encoding: TextEncoding | null;
  /** The sheet that would be read, and all sheets of the workbook; null and none for other files. */
  sheet: string | null;
  sheets: readonly string[];
  delimiter: string | null;
  headerRow: number | null;
  columns: { header: string; target: string }[];
  firstRows: LeadFileRow[];
};
