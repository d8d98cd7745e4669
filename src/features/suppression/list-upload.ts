import { isZip } from "../../lib/workbook/other-files.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import type { HeldFiles } from "../../platform/imports/held-files.ts";
import { ImportFileError } from "../../platform/imports/import-file-error.ts";
import { workbookCsv } from "../../platform/imports/workbook-csv.ts";

/** Text of a list; `delimiter` is null if it is to be detected. */
export type ListText = { stream: AsyncIterable<Uint8Array>; delimiter: string | null };

type UploadOptions = { workspaceId: WorkspaceId; sheet: string | null; signal: AbortSignal };

/**
 * Calls `use` with the text of an uploaded list, as it arrives, or with the CSV of its sheet if it is a workbook, which
 * is received as a whole first. Throws INVALID_FILE_FORMAT for a workbook that cannot be read, VALIDATION_ERROR for a
 * sheet that it lacks, and the errors of `HeldFiles`.
 */
export async function withListText<T>(
  workbooks: HeldFiles,
  upload: AsyncIterable<Uint8Array>,
  { workspaceId, sheet, signal }: UploadOptions,
  use: (text: ListText) => Promise<T>,
): Promise<T> {
  const chunks = upload[Symbol.asyncIterator]();
  let head = new Uint8Array();
  const first: Uint8Array[] = [];
  while (head.length < 4) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    first.push(value);
    head = Buffer.concat([head, value.subarray(0, 4)]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => chunks };
    } finally {
      await chunks.return?.();
    }
  }
  if (!isZip(head)) return await use({ stream: all(), delimiter: null });
  try {
    return await workbooks.hold(workspaceId, all(), ({ path }) =>
      use({ stream: workbookCsv(path, sheet, signal), delimiter: "," }),
    );
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    if (error.reason === "noSheet") throw invalid([{ path: "sheet", message: error.message }]);
    throw new ApiError("INVALID_FILE_FORMAT", { message: error.message });
  }
}
