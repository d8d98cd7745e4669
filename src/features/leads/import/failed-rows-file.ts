import { ApiError } from "../../../platform/base/errors.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import type { JobMetadata } from "../../../platform/jobs/model.ts";
import type { FailedRowsOptions } from "./failed-rows.ts";
import type { LeadFileOptions } from "./lead-file-batch.ts";

/** How to read the file of an import that has ended once more. */
export function failedRowsOptions(
  settings: Partial<Pick<LeadFileOptions, "delimiter" | "columns">>,
  metadata: JobMetadata,
): FailedRowsOptions {
  const { encoding, columns } = metadata as { encoding?: TextEncoding; columns?: Record<string, string> };
  return {
    encoding: encoding ?? "utf-8",
    delimiter: settings.delimiter ?? null,
    columns: settings.columns ?? null,
    headers: columns === undefined ? null : Object.keys(columns),
  };
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
