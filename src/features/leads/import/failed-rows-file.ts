import { ApiError } from "../../../platform/base/errors.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import type { JobMetadata } from "../../../platform/jobs/model.ts";
import type { FailedRowsOptions } from "./failed-rows.ts";
import type { LeadFileOptions } from "./lead-file-batch.ts";

/** Columns that the metadata of an import lists. A longer list is of no use to a reader. */
export const mostColumns = 100;

type ImportedFile = { encoding?: TextEncoding; columns?: Record<string, string>; sheet?: string; format?: "ndjson" };

/** How to read the file of an import that has ended once more. A sheet is read as CSV. */
export function failedRowsOptions(
  settings: Partial<Pick<LeadFileOptions, "format" | "delimiter" | "columns">>,
  metadata: JobMetadata,
): FailedRowsOptions {
  const { encoding, columns, sheet, format } = metadata as ImportedFile;
  const headers = columns === undefined ? null : Object.keys(columns);
  return {
    format: sheet === undefined ? (format ?? settings.format ?? "auto") : "csv",
    encoding: encoding ?? "utf-8",
    delimiter: sheet === undefined ? (settings.delimiter ?? null) : ",",
    columns: settings.columns ?? null,
    // Lines of NDJSON may have only names that are not listed.
    headers: format === "ndjson" && headers?.length === mostColumns ? null : headers,
  };
}

/** The sheet that an import has read; null unless the file is a workbook. */
export function sheetOf(metadata: JobMetadata): string | null {
  return (metadata as ImportedFile).sheet ?? null;
}

/** Media type and extension of the file of failed rows: NDJSON of NDJSON, else CSV. */
export function failedRowsType(metadata: JobMetadata): { mediaType: string; extension: string } {
  return (metadata as ImportedFile).format === "ndjson"
    ? { mediaType: "application/x-ndjson", extension: "ndjson" }
    : { mediaType: "text/csv; charset=utf-8", extension: "csv" };
}

/** A file that cannot be read at all is not the one that was imported. */
export async function* readable(rows: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof ImportFileError) throw new ApiError("CONFLICT", { message: error.message });
    throw error;
  }
}

export async function* utf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
