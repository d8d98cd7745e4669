import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FieldError } from "../../../platform/base/errors.ts";
import { freeMemory } from "../../../lib/concurrency/garbage.ts";
import { messagesOf, startThread, type Thread } from "../../../threads.ts";
import type { LeadContent, LeadIdentity } from "../model.ts";
import type { LeadFileAnswer, LeadFileRequest, LeadFileWork } from "./lead-file-thread.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import type { DetectedFormat, FileFormatOptions } from "../../../platform/imports/file-format.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import { arraysOf, type PackedRows } from "./packed-rows.ts";

export type LeadFileOptions = FileFormatOptions & {
  path: string;
  /** Number of the user in the store. */
  owner: number;
  /** Added to the tags of each row. */
  tags: string[];
  /** The source of rows without one. */
  source: string | null;
  /** Skips rows up to this one, which were stored before an interruption. */
  afterRow: number;
  batchRows: number;
};

/**
 * A row of the file: a valid lead, or its errors. `row` is the row number in a spreadsheet: header and empty rows count,
 * and a row with line breaks in its cells is one row. For NDJSON it is the line.
 */
export type LeadFileRow =
  | { row: number; content: LeadContent; identity: LeadIdentity }
  | { row: number; errors: FieldError[] };

export type LeadFileBatch = {
  rows: PackedRows;
  /** The last row in the batch. */
  lastRow: number;
  /** Size of the file. */
  encoding: TextEncoding;
  /** Targets of the columns that were read so far. */
  columns: { header: string; target: string }[];
  /** Bytes read so far; slightly ahead of the rows. */
  bytesRead: number;
  totalBytes: number;
};

/** How a file would be read. `delimiter` and `headerRow` are null for NDJSON. */
export type LeadFileInspection = {
  format: DetectedFormat;
  encoding: TextEncoding;
  delimiter: string | null;
  headerRow: number | null;
  columns: { header: string; target: string }[];
  firstRows: LeadFileRow[];
};

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

/** Inspects the beginning of a file before it is uploaded. */
export async function inspectLeadBytes(
  bytes: Uint8Array,
  options: FileFormatOptions,
  signal: AbortSignal,
): Promise<LeadFileInspection> {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-preview-"));
  try {
    const path = join(directory, "file");
    await writeFile(path, bytes, { mode: 0o600 });
    return await inspectLeadFile(path, options, signal);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
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
