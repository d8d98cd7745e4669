import { open } from "node:fs/promises";
import { freeMemory } from "../../../lib/concurrency/garbage.ts";
import { isZip } from "../../../lib/workbook/other-files.ts";
import { messagesOf, startThread, type Thread } from "../../../threads.ts";
import type { LeadFileAnswer, LeadFileRequest, LeadFileWork } from "./lead-file-thread.ts";
import type { FileFormatOptions } from "../../../platform/imports/file-format.ts";
import type { HeldFiles } from "../../../platform/imports/held-files.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import { arraysOf } from "./packed-rows.ts";
import type { LeadFileBatch, LeadFileInspection, LeadFileOptions } from "./lead-file-batch.ts";

/** Batches in transit: enough that neither side waits for the other, few enough to keep memory low. */
const batchesInFlight = 2;

/**
 * Reads a file of leads in a separate thread, in order, as fast as the batches are taken. Memory does not grow with the
 * file. Invalid rows are returned as errors; empty rows are skipped. A batch is valid until the next one is requested.
 * Throws ImportFileError, the signal's reason, or the file system's error if the file does not exist. Leaving the loop
 * over the batches closes the thread and the file.
 */
export async function* readLeadFile(
  options: LeadFileOptions,
  signal: AbortSignal,
): AsyncGenerator<LeadFileBatch, void, void> {
  for await (const { answer, thread } of answers(options.path, { kind: "read", options, batchesInFlight }, signal)) {
    if (answer.kind !== "batch") continue;
    yield answer.batch;
    freeMemory(arraysOf(answer.batch.rows));
    thread.post("next");
  }
}

/** Returns how a file would be read, with its first rows. Throws the same errors as readLeadFile. */
export async function inspectLeadFile(
  path: string,
  options: FileFormatOptions,
  signal: AbortSignal,
): Promise<LeadFileInspection> {
  for await (const { answer } of answers(path, { kind: "inspect", options }, signal))
    if (answer.kind === "inspection") return answer.inspection;
  throw new Error("The thread ended its work without an answer.");
}

/** Maximum bytes of the beginning of a text file, and of a workbook, which is needed as a whole. */
export type PreviewLimits = { textBytes: number; workbookBytes: number; tooLarge: (maxBytes: number) => Error };

/**
 * Inspects the beginning of a text file, or a workbook, before it is imported. Null: an empty body. Also throws the
 * errors of `HeldFiles`.
 */
export async function inspectLeadUpload(
  previews: HeldFiles,
  workspaceId: WorkspaceId,
  file: AsyncIterable<Uint8Array> | null,
  options: FileFormatOptions,
  limits: PreviewLimits,
  signal: AbortSignal,
): Promise<LeadFileInspection> {
  let isWorkbook = false;
  async function* bounded(): AsyncGenerator<Uint8Array> {
    let head = new Uint8Array();
    let bytes = 0;
    for await (const chunk of file ?? []) {
      if (head.length < 4) head = Buffer.concat([head, chunk.subarray(0, 4)]);
      isWorkbook = isZip(head);
      bytes += chunk.length;
      const maxBytes = isWorkbook ? limits.workbookBytes : limits.textBytes;
      if (bytes > maxBytes) throw limits.tooLarge(maxBytes);
      yield chunk;
    }
  }
  return await previews.hold(workspaceId, bounded(), async ({ path, turn }) => {
    // A workbook can take far more memory than the beginning of a text, so that one is read at a time.
    if (isWorkbook) await turn(signal);
    return await inspectLeadFile(path, options, signal);
  });
}

/** Starts a thread for a file and yields its messages until it is done. */
async function* answers(
  path: string,
  work: LeadFileWork,
  signal: AbortSignal,
): AsyncGenerator<{ answer: LeadFileAnswer; thread: Thread<"next", LeadFileAnswer> }, void, void> {
  signal.throwIfAborted();
  // Opened here and not in the thread, so that it is closed even if the thread is terminated.
  const file = await open(path);
  try {
    const { size: totalBytes } = await file.stat();
    const request: LeadFileRequest = { descriptor: file.fd, totalBytes, work };
    const thread = startThread<"next", LeadFileAnswer>("lead-file", request);
    try {
      for await (const answer of messagesOf(thread, signal)) {
        if (answer.kind === "done") return;
        if (answer.kind === "refused") throw new ImportFileError(answer.reason, answer.message, answer.details);
        yield { answer, thread };
      }
    } finally {
      thread.stop();
      await thread.closed;
    }
  } finally {
    await file.close();
  }
}
