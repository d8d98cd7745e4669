import { open } from "node:fs/promises";
import type { FieldError } from "../../errors.ts";
import { garbageCollector } from "../../garbage.ts";
import { LeadFileError, type LeadFileFormatOptions } from "../../leads/import/lead-file.ts";
import { messagesOf, startThread } from "../../threads.ts";
import type { BatchTerms, ProspectRow } from "../store.ts";
import type { ProspectFileAnswer, ProspectFileRequest } from "./prospect-file-thread.ts";

export type ProspectFileOptions = LeadFileFormatOptions & {
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
  /** How far the file was read for it; a bit ahead of the rows. */
  bytesRead: number;
  totalBytes: number;
};

/** Enough that neither side waits for the other, few enough to need no memory. */
const batchesInFlight = 3;
const batchesBetweenCollections = 12;
/** Some 100,000 rows: a full collection in the main thread is felt by everybody. */
const batchesBetweenFullCollections = 200;

/**
 * Reads a file of prospects or companies in a thread of its own, in order, as fast as the batches are taken. Memory does
 * not grow with the file. Throws LeadFileError, the signal's reason, and the error of the file system when there is no
 * such file.
 */
export async function* readProspectFile(
  options: ProspectFileOptions,
  signal: AbortSignal,
): AsyncGenerator<ProspectFileBatch, void, void> {
  signal.throwIfAborted();
  const collect = garbageCollector(batchesBetweenCollections, batchesBetweenFullCollections);
  // Opened here and not in the thread, so that it is closed even when the thread is stopped in the middle.
  const file = await open(options.path);
  try {
    const { size: totalBytes } = await file.stat();
    const request: ProspectFileRequest = { descriptor: file.fd, options, batchesInFlight };
    const thread = startThread<"next", ProspectFileAnswer>("prospect-file", request);
    try {
      for await (const answer of messagesOf(thread, signal)) {
        if (answer.kind === "done") return;
        if (answer.kind === "refused") throw new LeadFileError(answer.reason, answer.message, answer.details);
        const { rows, found, bytesRead } = answer;
        yield { rows: rowsOf(answer), found, lastRow: rows.at(-1) ?? 0, bytesRead, totalBytes };
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

/** Undoes what the thread packed. */
function rowsOf({
  rows,
  text,
  found: { keys, keyCounts },
}: Extract<ProspectFileAnswer, { kind: "batch" }>): ProspectRow[] {
  let next = 0;
  return text.split("\n").map((line, index) => {
    const row = rows[index]!;
    const content = line.slice(1);
    if (line.startsWith("e")) return { row, errors: JSON.parse(content) as FieldError[] };
    const own: number[] = [];
    for (const end = next + keyCounts[index]!; next < end; next++) own.push(keys[next]!);
    return { row, kind: line.startsWith("c") ? "company" : "person", content, keys: own };
  });
}
