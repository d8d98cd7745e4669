import { listedHeaders, refuseMissingColumns, shortenedHeaders } from "../../../platform/imports/chosen-columns.ts";
import { findHeader, type CsvSample } from "../../../platform/imports/csv-header.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import { understoodHeaders } from "../../../platform/imports/person-columns.ts";
import { columnPlan, identifies, understoodCount, type ColumnOverrides, type PlannedColumn } from "./column-plan.ts";

/** How to read a CSV file. `headerRow` counts as CsvRecords does. */
export type CsvLayout = { delimiter: string; newline: string; headerRow: number; columns: PlannedColumn[] };

/** Finds the delimiter and the columns of a file of leads. Throws ImportFileError if no header identifies people. */
export function csvLayout(sample: CsvSample, delimiter: string | null, overrides: ColumnOverrides): CsvLayout {
  const header = findHeader(sample, { delimiter }, ({ cells }) => {
    const columns = columnPlan(cells, overrides);
    return { columns, isUsable: identifies(columns), understood: understoodCount(cells, overrides) };
  });
  const headers = header?.columns.map((column) => column.header) ?? [];
  if (!header?.isUsable) throw noHeader(headers);
  const chosen = [...overrides.values()].map((override) => override.header);
  refuseMissingColumns(chosen, headers);
  return { delimiter: header.delimiter, newline: header.newline, headerRow: header.row, columns: header.columns };
}

function noHeader(headers: string[]): ImportFileError {
  return new ImportFileError(
    "noColumns",
    "No header line with an email, a LinkedIn URL, or a name and a company was found. " +
      (headers.length > 0 ? `Found: ${listedHeaders(headers)}. ` : "No complete line was found. ") +
      `Names such as these are understood: ${understoodHeaders.join(", ")}.`,
    { headers: shortenedHeaders(headers), understood: understoodHeaders },
  );
}
