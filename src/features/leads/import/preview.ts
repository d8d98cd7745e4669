import { invalid } from "../../../platform/base/errors.ts";
import { columnTargets } from "../../../platform/imports/person-columns.ts";
import type { FileFormatOptions } from "../../../platform/imports/file-format.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import { inspectLeadBytes } from "./lead-file.ts";
import type { LeadFileRow } from "./lead-file-batch.ts";
import type { ImportPreview } from "./preview-model.ts";

/** How the beginning of a file would be read. VALIDATION_ERROR if it is not a list of people. */
export async function previewOf(
  start: Uint8Array,
  options: FileFormatOptions,
  signal: AbortSignal,
): Promise<ImportPreview> {
  try {
    const { firstRows, headerRow: _row, ...layout } = await inspectLeadBytes(start, options, signal);
    return { problem: null, ...layout, targets: [...columnTargets], rows: firstRows.map(rowView) };
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    const { headers } = error.details;
    if (!Array.isArray(headers) || headers.length === 0) throw invalid([{ path: "", message: error.message }]);
    const columns = (headers as string[]).map((header) => ({ header, target: null }));
    const nothing = { encoding: null, delimiter: null, rows: [] };
    return { problem: error.message, format: "csv", ...nothing, columns, targets: [...columnTargets] };
  }
}

function rowView(row: LeadFileRow): ImportPreview["rows"][number] {
  if ("errors" in row) return { row: row.row, lead: null, errors: row.errors };
  return { row: row.row, lead: row.content, errors: [] };
}
