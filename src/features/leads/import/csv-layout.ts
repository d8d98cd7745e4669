import { columnPlan, identifies, understoodCount, type ColumnOverrides, type PlannedColumn } from "./column-plan.ts";
import { listedHeaders, refuseMissingColumns, shortenedHeaders } from "../../../platform/imports/chosen-columns.ts";
import { understoodHeaders } from "../../../platform/imports/person-columns.ts";
import { CsvRecords, newlineOf } from "../../../lib/table-file/csv-records.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";

/** How a CSV file is to be read. `headerRow` counts as CsvRecords does. */
export type CsvLayout = { delimiter: string; newline: string; headerRow: number; columns: PlannedColumn[] };

const delimiters = [",", ";", "\t", "|"];
/** Some exports begin with a few lines of explanation. */
const headerSearchRecords = 20;

/**
 * Finds delimiter and header by the beginning of a file. The header is the record, among the first 20 that are not
 * empty and under any of the delimiters, whose names are understood best: they identify a person, they are many, they
 * are many columns; of equals the first. Throws ImportFileError when there is none.
 */
export function csvLayout(
  sample: string,
  sampleIsAll: boolean,
  delimiter: string | null,
  overrides: ColumnOverrides,
): CsvLayout {
  const newline = newlineOf(sample);
  const candidates = (delimiter ? [delimiter] : (hintedDelimiter(sample) ?? delimiters)).flatMap((one) =>
    headerCandidates(new CsvRecords(one, newline), sample, sampleIsAll).map(({ row, cells }) =>
      candidate({ delimiter: one, newline, headerRow: row, columns: columnPlan(cells, overrides) }, cells, overrides),
    ),
  );
  const best = candidates.reduce<Candidate | null>(
    (winner, other) => (winner && !isBetter(other, winner) ? winner : other),
    null,
  );
  if (best === null || !best.identifies) throw noHeader(best);
  const chosen = [...overrides.values()].map(({ header }) => header);
  refuseMissingColumns(
    chosen,
    best.layout.columns.map(({ header }) => header),
  );
  return best.layout;
}

type Candidate = { layout: CsvLayout; identifies: boolean; understood: number };

function candidate(layout: CsvLayout, cells: string[], overrides: ColumnOverrides): Candidate {
  return { layout, identifies: identifies(layout.columns), understood: understoodCount(cells, overrides) };
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.identifies !== other.identifies) return one.identifies;
  if (one.understood !== other.understood) return one.understood > other.understood;
  return one.layout.columns.length > other.layout.columns.length;
}

function headerCandidates(
  records: CsvRecords,
  sample: string,
  sampleIsAll: boolean,
): { row: number; cells: string[] }[] {
  return [...records.take(sample), ...(sampleIsAll ? records.take(null) : [])]
    .filter((record) => "cells" in record)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""))
    .slice(0, headerSearchRecords);
}

/** Excel writes and reads a first line such as `sep=;`. */
function hintedDelimiter(sample: string): string[] | null {
  const hint = /^"?sep=([^\r\n])"?\r?\n/i.exec(sample)?.[1];
  return hint === undefined ? null : [hint];
}

function noHeader(best: Candidate | null): ImportFileError {
  const headers = best?.layout.columns.map(({ header }) => header) ?? [];
  return new ImportFileError(
    "noColumns",
    "No header line with an email, a LinkedIn URL, or a name and a company was found. " +
      (headers.length > 0 ? `Found: ${listedHeaders(headers)}. ` : "No complete line was found. ") +
      `Names such as these are understood: ${understoodHeaders.join(", ")}.`,
    { headers: shortenedHeaders(headers), understood: understoodHeaders },
  );
}
