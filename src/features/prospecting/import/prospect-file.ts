import { open } from "node:fs/promises";
import type { FieldError } from "../../../platform/base/errors.ts";
import { freeMemory, garbageCollector } from "../../../lib/concurrency/garbage.ts";
import type { TextEncoding } from "../../../lib/table-file/encodings.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";
import type { FileFormatOptions } from "../../../platform/imports/file-format.ts";
import { messagesOf, startThread } from "../../../threads.ts";
import type { BatchTerms, ProspectRow } from "../store.ts";
import type { ProspectFileAnswer, ProspectFileRequest } from "./prospect-file-thread.ts";
import { arraysOf, rowKinds, type PackedRows } from "./row-buffer.ts";

export type ProspectFileOptions = FileFormatOptions & {
  path: string;
  /** The source of rows that tell none. */
  source: string | null;
  /** Rows up to this one are skipped: they were stored before an interruption. */
  afterRow: number;
  batchRows: number;
};

export type ProspectFileBatch = {
  rows: ProspectRow[];
  found: BatchTerms;
  lastRow: number;
  /** The first headers that nobody understands, as far as the file was read. */
  ignored: string[];
  /** Where the columns of a CSV file go. */
  columns: { header: string; target: string }[];
  /** That of the file. */
  encoding: TextEncoding;
  /** How far the file was read for it; a bit ahead of the rows. */
  bytesRead: number;
  totalBytes: number;
  /** To be called when nobody needs the rows any more: half a MB need not wait for the garbage collector. */
  release(): void;
};

/** Half a MB each; enough that the file is read on whenever a core is free, also while others are asked or waited for. */
const batchesInFlight = 4;
const batchesBetweenCollections = 12;
/** Some 50,000 rows: a full collection in the main thread is felt by everybody. */
const batchesBetweenFullCollections = 60;

/**
 * Reads a file of prospects or companies in a thread of its own, in order, as fast as the batches are taken. Memory does
 * not grow with the file. Throws ImportFileError, the signal's reason, and the error of the file system when there is no
 * such file.
 */
export async function* readProspectFile(
  options: ProspectFileOptions,
  signal: AbortSignal,
): AsyncGenerator<ProspectFileBatch, void, void> {
  signal.throwIfAborted();
  Bun.gc(true); // what its upload has left behind would stand beside what the import takes
  const collect = garbageCollector(batchesBetweenCollections, batchesBetweenFullCollections);
  // Opened here and not in the thread, so that it is closed even when the thread is stopped in the middle.
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
        const { packed, columns, ignored, encoding, bytesRead } = answer;
        const lastRow = packed.rows.at(-1) ?? 0;
        const rows = unpacked(packed, spare);
        const release = () => {
          freeMemory(arraysOf(packed));
          keepSpare(rows, spare);
        };
        yield { rows, found: packed.found, lastRow, columns, ignored, encoding, bytesRead, totalBytes, release };
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

/** A row with a content. A million of them and their keys would be garbage, so those of a batch serve again in a later one. */
type SpareRow = Extract<ProspectRow, { kind: string }> & { keys: number[] };
type UnpackedRow = SpareRow | Extract<ProspectRow, { errors: unknown }>;

/** The rows one by one; they share the memory of all. They are made of those in `spare` as far as these go. */
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
    made.keys.length = 0; // a view of so few takes several times as long as a list
    for (const end = firstKey + keyCounts[at]!; firstKey < end; firstKey++) made.keys.push(keys[firstKey]!);
    return made;
  });
}

/** Nobody needs the rows any more. */
function keepSpare(rows: readonly UnpackedRow[], spare: SpareRow[]): void {
  for (const row of rows) {
    if (!("kind" in row)) continue;
    row.content = noContent;
    spare.push(row);
  }
}

const noContent = new Uint8Array();
const decoder = new TextDecoder();
