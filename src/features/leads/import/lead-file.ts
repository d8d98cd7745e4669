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
  /** The number that the store knows the user by. */
  owner: number;
  /** Added to the tags of each row. */
  tags: string[];
  /** The source of rows that tell none. */
  source: string | null;
  /** Rows up to this one are skipped: they were stored before an interruption. */
  afterRow: number;
  batchRows: number;
};

/**
 * A row of the file: a lead that can be stored, or what is wrong with it. `row` is the number that a spreadsheet shows
 * beside it: header and empty rows count, a row with line breaks in its cells is one. For NDJSON it is the line.
 */
export type LeadFileRow =
  | { row: number; content: LeadContent; identity: LeadIdentity }
  | { row: number; errors: FieldError[] };

export type LeadFileBatch = {
  rows: PackedRows;
  /** The last row in the batch. */
  lastRow: number;
  /** That of the file. */
  encoding: TextEncoding;
  /** Where the columns of the file go, as far as it was read. */
  columns: { header: string; target: string }[];
  /** How far the file was read for it; a bit ahead of the rows. */
  bytesRead: number;
  totalBytes: number;
};

/** What a file would be read as. `delimiter` and `headerRow` are null for NDJSON. */
export type LeadFileInspection = {
  format: DetectedFormat;
  encoding: TextEncoding;
  delimiter: string | null;
  headerRow: number | null;
  columns: { header: string; target: string }[];
  firstRows: LeadFileRow[];
};

/** Batches that may be on their way: enough that neither side waits for the other, few enough to need no memory. */
const batchesInFlight = 2;

/**
 * Reads a file of leads in a thread of its own, in order, as fast as the batches are taken. Memory does not grow with
 * the file. Rows that are no leads come as errors; empty rows don't come. A batch holds until the next is asked for.
 * Throws ImportFileError, the signal's reason, and the error of the file system when there is no such file. The thread
 * and the file are closed when the loop over the batches is left, whichever way.
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

/** Tells what a file would be read as, with its first rows. Throws what readLeadFile throws. */
export async function inspectLeadFile(
  path: string,
  options: FileFormatOptions,
  signal: AbortSignal,
): Promise<LeadFileInspection> {
  for await (const { answer } of answers(path, { kind: "inspect", options }, signal))
    if (answer.kind === "inspection") return answer.inspection;
  throw new Error("The thread ended its work without an answer.");
}

/** As `inspectLeadFile`, of the beginning of a file that somebody is about to send. */
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

/** Starts a thread on a file and passes on what it answers until it is done. */
async function* answers(
  path: string,
  work: LeadFileWork,
  signal: AbortSignal,
): AsyncGenerator<{ answer: LeadFileAnswer; thread: Thread<"next", LeadFileAnswer> }, void, void> {
  signal.throwIfAborted();
  // Opened here and not in the thread, so that it is closed even when the thread is stopped in the middle.
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
