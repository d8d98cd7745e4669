import type { TextEncoding } from "../../lib/table-file/encodings.ts";
import { ImportFileError } from "./import-file-error.ts";

/** Formats that a user can name for an import. `auto` detects the format from the beginning of the file. */
export const fileFormats = ["csv", "ndjson", "xlsx", "auto"] as const;
export type FileFormat = (typeof fileFormats)[number];
export type DetectedFormat = Exclude<FileFormat, "auto">;

/** How to read a file. */
export type FileFormatOptions = {
  format: FileFormat;
  /** Separator of CSV cells. Null detects it. */
  delimiter: string | null;
  /** A name that `encodingNamed` returns. Detected if absent or null. */
  encoding?: TextEncoding | null;
  /** Name or number of the sheet of a workbook. Null or absent: the first that is not hidden. */
  sheet?: string | null;
  /** Target by header. Takes precedence over what the header is recognized as. */
  columns: Record<string, string> | null;
};

/** The format to read a file in, given its beginning. Throws ImportFileError for a JSON array. */
export function resolveFormat(format: FileFormat, sample: string): DetectedFormat {
  if (format !== "auto") return format;
  const start = sample.trimStart();
  if (/^\[\s*[{\]]/.test(start))
    throw new ImportFileError(
      "notText",
      "The file is a single JSON array. Write one JSON object per line instead (NDJSON), without brackets and commas around them.",
    );
  return /^\{\s*["}]/.test(start) ? "ndjson" : "csv";
}

/** Why a row cannot be imported if decoding left a replacement character in one of its texts; null otherwise. */
export function undecodableRow(texts: readonly string[]): string | null {
  return texts.some((text) => text.includes("\ufffd"))
    ? "The row has bytes that are not valid in the encoding of the file. Retype the garbled characters and save the file as CSV UTF-8."
    : null;
}
