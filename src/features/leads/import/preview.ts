import { invalid } from "../../../platform/base/errors.ts";
import { columnTargets } from "../../../platform/imports/person-columns.ts";
import type { FileFormatOptions } from "../../../platform/imports/file-format.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import type { HeldFiles } from "../../../platform/imports/held-files.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { inspectLeadUpload, type PreviewLimits } from "./lead-file.ts";
import type { LeadFileRow } from "./lead-file-batch.ts";
import type { ImportPreview } from "./preview-model.ts";

/**
 * How a file would be read, given its beginning, or all of a workbook. VALIDATION_ERROR if it is not a list of people;
 * also throws what `limits` and `previews` do.
 */
export async function previewOf(
  previews: HeldFiles,
  workspaceId: WorkspaceId,
  file: AsyncIterable<Uint8Array> | null,
  options: FileFormatOptions,
  limits: PreviewLimits,
  signal: AbortSignal,
): Promise<ImportPreview> {
  try {
    const {
      firstRows,
      headerRow: _row,
      ...layout
    } = await inspectLeadUpload(previews, workspaceId, file, options, limits, signal);
    return {
      problem: null,
      ...layout,
      sheets: [...layout.sheets],
      targets: [...columnTargets],
      rows: firstRows.map(rowView),
    };
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    const { headers = [], sheet = null, sheets = [] } = error.details as Details;
    if (headers.length === 0)
      throw invalid([{ path: error.reason === "noSheet" ? "sheet" : "", message: error.message }]);
    const columns = headers.map((header) => ({ header, target: null }));
    const read = { format: sheet === null ? ("csv" as const) : ("xlsx" as const), sheet, sheets };
    const nothing = { encoding: null, delimiter: null, rows: [] };
    return { problem: error.message, ...read, ...nothing, columns, targets: [...columnTargets] };
  }
}

type Details = { headers?: string[]; sheet?: string; sheets?: string[] };

function rowView(row: LeadFileRow): ImportPreview["rows"][number] {
  if ("errors" in row) return { row: row.row, lead: null, errors: row.errors };
  return { row: row.row, lead: row.content, errors: [] };
}
