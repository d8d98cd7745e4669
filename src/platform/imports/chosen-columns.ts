import { closest } from "../base/spelling.ts";
import { normalized } from "./person-columns.ts";
import { ImportFileError } from "./import-file-error.ts";

/** Throws ImportFileError if a target was chosen for a column that is not in the file: its values would be lost. */
export function refuseMissingColumns(chosen: readonly string[], headers: readonly string[]): void {
  const known = new Set(headers.map(normalized));
  const unknown = chosen.filter((header) => !known.has(normalized(header)));
  if (unknown.length === 0) return;
  const similar = unknown.map((header) => nearest(header, headers)).filter((header) => header !== null);
  const hint = similar.length === 0 ? "" : ` Did you mean ${listedHeaders(similar)}?`;
  throw new ImportFileError(
    "badColumns",
    `The file has no column called ${listedHeaders(unknown)}. It has: ${listedHeaders(headers)}.${hint}`,
    { unknown: shortenedHeaders(unknown), headers: shortenedHeaders(headers) },
  );
}

function nearest(header: string, headers: readonly string[]): string | null {
  const plain = headers.slice(0, mostHeaders).map((each) => normalized(each).slice(0, longestHeader));
  const found = closest(normalized(header).slice(0, longestHeader), plain);
  return found === null ? null : headers[plain.indexOf(found)]!.trim();
}

/** Headers for a message. A line that only looks like a header can have thousands of long cells. */
export function listedHeaders(headers: readonly string[]): string {
  const more = headers.length > 30 ? ` and ${headers.length - 30} more` : "";
  return shortenedHeaders(headers.slice(0, 30)).join(", ") + more;
}

const mostHeaders = 200;
const longestHeader = 60;

export function shortenedHeaders(headers: readonly string[]): string[] {
  return headers.slice(0, mostHeaders).map((header) => header.slice(0, longestHeader));
}
