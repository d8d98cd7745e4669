import { garbageCollector } from "../../garbage.ts";
import { normalized } from "../../leads/import/columns.ts";
import { LeadFileError, type LeadFileReason } from "../../leads/import/lead-file.ts";
import { TextFile } from "../../leads/import/text-file.ts";
import type { ThreadPort } from "../../threads.ts";
import type { BatchTerms } from "../store.ts";
import { prospectTarget, prospectTargetNames, type ProspectTarget } from "./prospect-columns.ts";
import { ProspectCsvRows, prospectLayout, type NumberedProspect } from "./prospect-csv.ts";
import type { ProspectFileOptions } from "./prospect-file.ts";
import { ProspectNdjsonRows } from "./prospect-ndjson.ts";
import type { NumberedRaw } from "./row-values.ts";

const batchesBetweenCollections = 4;
/** Some 100,000 rows: a full collection walks all that is remembered of titles and companies. */
const batchesBetweenFullCollections = 40;

/** What the thread is started with. The descriptor stays the main thread's, which closes it. */
export type ProspectFileRequest = { descriptor: number; options: ProspectFileOptions; batchesInFlight: number };

export type ProspectFileAnswer =
  /**
   * A line for each row: `p` or `c` and the JSON of the person or company, or `e` and that of the errors. One text and
   * flat arrays cross threads in a fraction of the time that as many objects take.
   */
  | { kind: "batch"; rows: Float64Array; text: string; found: BatchTerms; bytesRead: number }
  | { kind: "refused"; reason: LeadFileReason; message: string; details: Record<string, unknown> }
  | { kind: "done" };

/** The task "prospect-file". Every "next" allows one more batch than were allowed at the start. */
export type ProspectFileThread = {
  task: "prospect-file";
  init: ProspectFileRequest;
  port: ThreadPort<"next", ProspectFileAnswer>;
};

/** Does the work of the thread. What goes wrong with the file is answered; anything else ends the thread. */
export async function runProspectFileThread(
  port: ProspectFileThread["port"],
  { descriptor, options, batchesInFlight }: ProspectFileRequest,
): Promise<void> {
  const room = allowance(port, batchesInFlight);
  try {
    const file = new TextFile(descriptor);
    const reader = rowReader(file, options);
    const collect = garbageCollector(batchesBetweenCollections, batchesBetweenFullCollections);
    const numbers = new RawNumbers();
    let rows: NumberedProspect[] = [];
    for (let block: string | null = ""; block !== null;) {
      block = file.next();
      rows = rows.concat(reader.take(block, file.hasBadBytes));
      const isEnd = block === null;
      while (rows.length >= options.batchRows || (isEnd && rows.length > 0)) {
        await room();
        port.post(batchOf(rows.splice(0, options.batchRows), file.bytesRead, numbers));
        collect();
      }
    }
    port.post({ kind: "done" });
  } catch (error) {
    if (!(error instanceof LeadFileError)) throw error;
    const { reason, message, details } = error;
    port.post({ kind: "refused", reason, message, details });
  }
}

function batchOf(rows: NumberedProspect[], bytesRead: number, numbers: RawNumbers): ProspectFileAnswer {
  const numbersOfRows = new Float64Array(rows.length);
  const keys = new Float64Array(rows.length * maxKeys);
  const keyCounts = new Uint8Array(rows.length);
  const raws: number[] = [];
  const rawCounts = new Uint8Array(rows.length);
  // One list for all, joined at once: to put each row together for itself takes twice as long.
  const text: string[] = [];
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const { row, read } = rows[at]!;
    numbersOfRows[at] = row;
    if (at > 0) text.push("\n");
    if ("errors" in read) {
      text.push("e", JSON.stringify(read.errors));
      continue;
    }
    text.push(read.kind === "person" ? "p" : "c");
    for (let piece = 0; piece < read.content.length; piece++) text.push(read.content[piece]!);
    keyCounts[at] = read.keys.length;
    for (let key = 0; key < read.keys.length; key++) keys[count++] = read.keys[key]!;
    if (read.raws === null || read.raws.length > maxRaws) continue;
    rawCounts[at] = read.raws.length;
    for (let raw = 0; raw < read.raws.length; raw++) raws.push(numbers.of(read.raws[raw]!));
  }
  const found = { keys: keys.slice(0, count), keyCounts, raws: Int32Array.from(raws), rawCounts, ...numbers.taken() };
  return { kind: "batch", rows: numbersOfRows, text: text.join(""), found, bytesRead };
}

/** What `rawCounts` can count. */
const maxRaws = 255;

/** Gives each raw value a number, so that a row tells its own in a few bytes. There is one in a thread. */
class RawNumbers {
  #count = 0;
  #added: string[] = [];
  #epoch = 0;

  of(value: NumberedRaw): number {
    if (value.epoch !== this.#epoch) {
      value.epoch = this.#epoch;
      value.number = this.#count++;
      this.#added.push(`${value.facet} ${value.raw}`);
    }
    return value.number;
  }

  /** What is new since the last call. When there are too many, all begin anew behind it. */
  taken(): Pick<BatchTerms, "epoch" | "from" | "added"> {
    const taken = { epoch: this.#epoch, from: this.#count - this.#added.length, added: this.#added };
    this.#added = [];
    if (this.#count > maxNumbers) {
      this.#count = 0;
      this.#epoch++;
    }
    return taken;
  }
}

const maxNumbers = 50_000;

/** E-mail, profile, name, company and domain. */
const maxKeys = 5;

function rowReader(file: TextFile, options: ProspectFileOptions): ProspectCsvRows | ProspectNdjsonRows {
  const { format, delimiter, columns, source, afterRow } = options;
  const overrides = overridesIn(columns);
  const isNdjson = format === "auto" ? looksLikeNdjson(file.sample) : format === "ndjson";
  if (isNdjson) return new ProspectNdjsonRows(overrides, source, afterRow);
  return new ProspectCsvRows(prospectLayout(file.sample, file.sampleIsAll, delimiter, overrides), source, afterRow);
}

function looksLikeNdjson(sample: string): boolean {
  const start = sample.trimStart();
  if (/^\[\s*[{\]]/.test(start))
    throw new LeadFileError(
      "notText",
      "The file is one JSON list. Write one JSON object on each line instead (NDJSON), without brackets and commas around.",
    );
  return /^\{\s*["}]/.test(start);
}

function overridesIn(columns: Record<string, string> | null): Map<string, ProspectTarget> {
  return new Map(
    Object.entries(columns ?? {}).map(([header, text]) => {
      const target = prospectTarget(text);
      if (target !== null) return [normalized(header), target];
      throw new LeadFileError(
        "badColumns",
        `"${text}" is nothing that the column "${header}" can go to. Use one of ${prospectTargetNames.join(", ")}.`,
        { header, target: text, targets: prospectTargetNames },
      );
    }),
  );
}

/** Resolves when one more batch may be posted. */
function allowance(port: ProspectFileThread["port"], allowed: number): () => Promise<void> {
  let left = allowed;
  let wake = (): void => {};
  port.onMessage(() => {
    left++;
    wake();
  });
  return async () => {
    while (left === 0) await new Promise<void>((resolve) => (wake = resolve));
    left--;
  };
}
