import { open } from "node:fs/promises";
import type { FieldError } from "../../../platform/base/errors.ts";
import { freeMemory, garbageCollector } from "../../../lib/concurrency/garbage.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import { messagesOf, startThread } from "../../../threads.ts";
import type { BatchTerms, ProspectRow } from "../directory-model.ts";
import type { ProspectFileAnswer, ProspectFileOptions, ProspectFileRequest } from "./prospect-file-thread.ts";
import { arraysOf, rowKinds, type PackedRows } from "./row-buffer.ts";

export type ProspectFileBatch = {
  rows: ProspectRow[];
  found: BatchTerms;
  lastRow: number;
  /** The first unrecognized headers read so far. */
  ignored: string[];
  /** Targets of the columns of a CSV file. */
  columns: { header: string; target: string }[];
  /** Encoding of the file. */
  encoding: TextEncoding;
  /** Name of the sheet; null unless the file is a workbook. */
  sheet: string | null;
  /** Bytes read so far, slightly ahead of the rows. */
  bytesRead: number;
  totalBytes: number;
  /** Call when the rows are no longer needed, to free half a MB without waiting for the garbage collector. */
  release(): void;
};

/** Half a MB each: enough to keep reading whenever a core is free, even while other work is awaited. */
const batchesInFlight = 4;
const batchesBetweenCollections = 12;
/** About 50,000 rows. A full collection in the main thread delays all requests. */
const batchesBetweenFullCollections = 60;

/**
 * Reads a file of prospects or companies in a separate thread, in order, as fast as batches are consumed and in
 * constant memory. Throws ImportFileError, the abort reason of the signal, or a file system error.
 */
export async function* readProspectFile(
  options: ProspectFileOptions,
  signal: AbortSignal,
): AsyncGenerator<ProspectFileBatch, void, void> {
  signal.throwIfAborted();
  Bun.gc(true); // frees the memory of the upload before the import needs its own
  const collect = garbageCollector(batchesBetweenCollections, batchesBetweenFullCollections);
  // Opened here, not in the thread, so that it is closed even if the thread is stopped.
  const file = await open(options.path);
  const spare: SpareRow[] = [];
  try {
    const { size: totalBytes } = await file.stat();
    const request: ProspectFileRequest = { descriptor: file.fd, options, batchesInFlight };
    const thread = startThread<"next", ProspectFileAnswer>("prospect-file", request, { smol: true });
    try {
      for await (const answer of messagesOf(thread, signal)) {
        if (answer.kind === "done") return;
        if (answer.kind === "refused") throw new ImportFileError(answer.reason, answer.message, answer.details);
        const { packed, columns, ignored, encoding, sheet, bytesRead } = answer;
        const lastRow = packed.rows.at(-1) ?? 0;
        const rows = unpacked(packed, spare);
        const release = () => {
          freeMemory(arraysOf(packed));
          keepSpare(rows, spare);
        };
        yield { rows, found: packed.found, lastRow, columns, ignored, encoding, sheet, bytesRead, totalBytes, release };
        collect();
        thread.post("next");
      }
    } finally {
      thread.stop();
      await thread.closed;
    }
  } finally {
    await file.close();
  }
}

/**
 * A row with content. Row objects and their keys are reused in later batches to avoid millions of short-lived objects.
 */
type SpareRow = Extract<ProspectRow, { kind: string }> & { keys: number[] };
type UnpackedRow = SpareRow | Extract<ProspectRow, { errors: unknown }>;

/** Unpacks rows individually, sharing the memory of the batch. Reuses the objects in `spare` while available. */
export function unpacked({ rows, kinds, ends, text, found }: PackedRows, spare: SpareRow[] = []): UnpackedRow[] {
  const { keys, keyCounts, beside } = found;
  let start = 0;
  let firstKey = 0;
  return Array.from(rows, (row, at): UnpackedRow => {
    const content = text.subarray(start, (start = ends[at]!));
    const kind = rowKinds[kinds[at]!]!;
    if (kind === "errors") return { row, errors: JSON.parse(decoder.decode(content)) as FieldError[] };
    const made = spare.pop() ?? { row, kind, content, keys: [], beside: 0 };
    made.row = row;
    made.kind = kind;
    made.content = content;
    made.beside = beside[at]!;
    made.keys.length = 0; // for so few keys, a typed array view is several times slower than an array
    for (const end = firstKey + keyCounts[at]!; firstKey < end; firstKey++) made.keys.push(keys[firstKey]!);
    return made;
  });
}

/** Collects row objects for reuse. */
function keepSpare(rows: readonly UnpackedRow[], spare: SpareRow[]): void {
  for (const row of rows) {
    if (!("kind" in row)) continue;
    row.content = noContent;
    spare.push(row);
  }
}

const noContent = new Uint8Array();
const decoder = new TextDecoder();
