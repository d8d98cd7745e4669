import { CsvRecords, newlineOf } from "../../lib/table-file/csv-records.ts";

/** The beginning of a CSV file. */
export type CsvSample = { text: string; isWholeFile: boolean };

/** A record that may be the header of a file, and how the file is split into records if it is. */
export type HeaderCandidate = {
  delimiter: string;
  newline: "\n" | "\r";
  /** Number of the record, counted as `CsvRecords` does. */
  row: number;
  cells: string[];
  /** Cells of every complete record in the sample, the same array for all candidates with this delimiter. */
  records: readonly string[][];
};

/** How well the columns of a candidate are understood. */
export type HeaderRating = {
  /** Whether rows with these columns can tell one entry from another. */
  isUsable: boolean;
  /** Number of different targets that the columns have. */
  understood: number;
};

const delimiters = [",", ";", "\t", "|"];
/** Some exports start with a few lines of explanation. */
const maxHeaderRecords = 20;

/**
 * Finds the header and the delimiter of a CSV file. Among the first records that are not empty, under each delimiter,
 * the winner is usable, then has the most columns that are understood, then the most columns, then comes first. A
 * first line `sep=;`, as Excel writes and reads it, sets the delimiter. Null if the sample has no complete record.
 */
export function findHeader<R extends HeaderRating>(
  sample: CsvSample,
  { delimiter, maxRecords = maxHeaderRecords }: { delimiter: string | null; maxRecords?: number },
  rate: (candidate: HeaderCandidate) => R,
): (R & HeaderCandidate) | null {
  const hinted = delimiter ?? delimiterHint(sample.text);
  let best: (R & HeaderCandidate) | null = null;
  for (const one of hinted === null ? delimiters : [hinted])
    for (const candidate of candidatesIn(sample, one, maxRecords)) {
      const rated = { ...candidate, ...rate(candidate) };
      if (best === null || isBetter(rated, best)) best = rated;
    }
  return best;
}

/** The delimiter that a first line such as `sep=;` names; null without one. */
export function delimiterHint(text: string): string | null {
  return /^"?sep=([^\r\n])"?[\r\n]/i.exec(text)?.[1] ?? null;
}

/** The delimiter of a file without a header: the first known one that occurs in the line. */
export function guessDelimiter(line: string): string {
  return delimiters.find((delimiter) => line.includes(delimiter)) ?? ",";
}

function candidatesIn({ text, isWholeFile }: CsvSample, delimiter: string, maxRecords: number): HeaderCandidate[] {
  const newline = newlineOf(text);
  const reader = new CsvRecords(delimiter, newline);
  const found = [...reader.take(text), ...(isWholeFile ? reader.take(null) : [])].filter(
    (record) => !("cells" in record) || record.cells.some((cell) => cell.trim() !== ""),
  );
  const isHint = delimiterHint(text) !== null && found[0]?.row === 1;
  const records = found.flatMap((record) => ("cells" in record ? [record.cells] : []));
  return found
    .slice(isHint ? 1 : 0)
    .slice(0, maxRecords)
    .flatMap((record) => ("cells" in record ? [{ delimiter, newline, ...record, records }] : []));
}

function isBetter(one: HeaderRating & HeaderCandidate, other: HeaderRating & HeaderCandidate): boolean {
  if (one.isUsable !== other.isUsable) return one.isUsable;
  if (one.understood !== other.understood) return one.understood > other.understood;
  return one.cells.length > other.cells.length;
}
