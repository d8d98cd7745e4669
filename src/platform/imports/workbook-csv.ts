import { open } from "node:fs/promises";
import { messagesOf, startThread } from "../../threads.ts";
import { ImportFileError } from "./import-file-error.ts";
import type { WorkbookCsvAnswer, WorkbookCsvRequest } from "./workbook-csv-thread.ts";

/**
 * A sheet of a workbook as CSV in UTF-8, with commas and a line for each row, read in a thread as fast as it is taken.
 * `sheet`: its name or number; null is the first that is not hidden. Throws ImportFileError and the signal's reason.
 */
export async function* workbookCsv(
  path: string,
  sheet: string | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  signal.throwIfAborted();
  // Opened here and not in the thread, so that it is closed even if the thread is terminated.
  await using file = await open(path);
  const request: WorkbookCsvRequest = { descriptor: file.fd, sheet };
  const thread = startThread<"next", WorkbookCsvAnswer>("workbook-csv", request);
  const encoder = new TextEncoder();
  try {
    thread.post("next");
    for await (const answer of messagesOf(thread, signal)) {
      if (answer.kind === "done") return;
      if (answer.kind === "refused") throw new ImportFileError(answer.reason, answer.message, answer.details);
      yield encoder.encode(answer.text);
      thread.post("next");
    }
  } finally {
    thread.stop();
    await thread.closed;
  }
}
