import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** A file to upload. */
export type LeadFile = {
  name: string;
  contentType: string;
  /** Null if the length is unknown, as for a pipe. */
  bytes: number | null;
  stream: ReadableStream<Uint8Array>;
};

const contentTypes = new Map([
  [".csv", "text/csv"],
  [".tsv", "text/csv"],
  [".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  [".xlsm", "application/vnd.ms-excel.sheet.macroenabled.12"],
  [".ndjson", "application/x-ndjson"],
  [".jsonl", "application/x-ndjson"],
]);

/**
 * Opens a file, or standard input for "-". If the name does not reveal the type, the server detects it from the
 * content.
 */
export async function openLeadFile(path: string): Promise<LeadFile> {
  const contentType = contentTypes.get(extname(path).toLowerCase()) ?? "application/octet-stream";
  if (path === "-") {
    const stream = await withContent(Bun.stdin.stream());
    if (stream === null) throw emptyFile("Standard input");
    return { name: "standard input", contentType, bytes: null, stream };
  }
  let file: LeadFile;
  try {
    const entry = await stat(path);
    if (entry.isDirectory()) throw new Error("it is a directory.");
    const bytes = entry.isFile() ? entry.size : null;
    file = { name: basename(path), contentType, bytes, stream: Bun.file(path).stream() };
  } catch (cause) {
    throw new CommandError(exitCodes.failed, `Could not read ${path}: ${reasonOf(cause)}`, { cause });
  }
  if (file.bytes === 0) throw emptyFile(path);
  return file;
}

function emptyFile(name: string): CommandError {
  return new CommandError(exitCodes.failed, `${name} is empty. Nothing was imported.`);
}

/** Returns a stream with the same content; null if it is empty. */
async function withContent(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array> | null> {
  const reader = stream.getReader();
  let first = await reader.read();
  while (!first.done && first.value.byteLength === 0) first = await reader.read();
  if (first.done) return null;
  const start = first.value;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(start),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Returns the same stream. `onBytes` is called after each chunk with the bytes so far, and can slow the stream down.
 */
export function counted(
  stream: ReadableStream<Uint8Array>,
  onBytes: (sent: number) => Promise<void>,
): ReadableStream<Uint8Array> {
  let sent = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        controller.enqueue(chunk);
        sent += chunk.byteLength;
        await onBytes(sent);
      },
    }),
  );
}
