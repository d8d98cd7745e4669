import type { ByteSource } from "../byte-source.ts";
import { AudioError } from "../pcm.ts";
import { type Box, boxesIn, findBox, readContent } from "./boxes.ts";
import { Table } from "./table.ts";
import type { AudioTrack } from "./track.ts";

/** What a sample that can't be read takes of the budget, in bytes: a few words can claim millions of them. */
const emptySampleCost = 64;

/** Where one frame of the codec lies in the file. */
export type Sample = { offset: number; size: number };

/**
 * The samples of a track in order, from the tables of the index and from fragments. Tables are read as they are needed,
 * whatever they claim; samples that lie beyond the end of the file are left out.
 */
export function* samplesOf(source: ByteSource, track: AudioTrack): Generator<Sample> {
  // In an honest file no two samples overlap, so all of them together aren't longer than it.
  let budget = source.size;
  for (const sample of allSamples(source, track)) {
    if (sample.size === 0 || sample.offset + sample.size > source.size) {
      budget -= emptySampleCost;
    } else {
      budget -= sample.size;
      yield sample;
    }
    if (budget < 0) throw new AudioError("corrupt", "M4A sample table is damaged.");
  }
}

function* allSamples(source: ByteSource, track: AudioTrack): Generator<Sample> {
  yield* indexedSamples(source, track.tables);
  const defaults = findBox(source, track.moov, "mvex") === null ? null : trackDefaults(source, track);
  if (defaults === null) return;
  for (const box of boxesIn(source, { start: 0, end: source.size })) {
    if (box.type === "moof") yield* fragmentSamples(source, box, track.id, defaults);
  }
}

/** Chunks of samples (`stco`, `co64`), how many samples each has (`stsc`), and how long each sample is (`stsz`). */
function* indexedSamples(source: ByteSource, tables: Box): Generator<Sample> {
  const sizes = findBox(source, tables, "stsz");
  const runs = findBox(source, tables, "stsc");
  const offsets32 = findBox(source, tables, "stco");
  const offsets = offsets32 ?? findBox(source, tables, "co64");
  if (sizes === null || runs === null || offsets === null) {
    throw new AudioError("corrupt", "M4A sample table is missing.");
  }
  const head = readContent(source, sizes, 12);
  const fixedSize = head.getUint32(4);
  let left = head.getUint32(8);
  const sizeTable = new Table(source, sizes, 12);
  const chunkOffsets = new Table(source, offsets, 8);
  const chunkRuns = new ChunkRuns(new Table(source, runs, 8));
  for (let chunk = 1; left > 0; chunk++) {
    let offset = offsets32 === null ? chunkOffsets.nextLong() : chunkOffsets.next();
    const count = chunkRuns.samplesIn(chunk);
    if (offset === null || count === null) return;
    for (let i = 0; i < count && left > 0; i++, left--) {
      const size = fixedSize === 0 ? sizeTable.next() : fixedSize;
      if (size === null) return;
      yield { offset, size };
      offset += size;
    }
  }
}

/** `stsc`: from which chunk on how many samples a chunk has. */
class ChunkRuns {
  readonly #table: Table;
  #current: number | null = null;
  #next: { firstChunk: number; samples: number } | null;

  constructor(table: Table) {
    this.#table = table;
    this.#next = this.#read();
  }

  /** Chunks must be asked for in order. null: the table says nothing of it. */
  samplesIn(chunk: number): number | null {
    while (this.#next !== null && this.#next.firstChunk <= chunk) {
      this.#current = this.#next.samples;
      this.#next = this.#read();
    }
    return this.#current;
  }

  #read(): { firstChunk: number; samples: number } | null {
    const firstChunk = this.#table.next();
    const samples = this.#table.next();
    const description = this.#table.next();
    return firstChunk === null || samples === null || description === null ? null : { firstChunk, samples };
  }
}

/** The size of samples that a fragment doesn't tell (`trex`). */
function trackDefaults(source: ByteSource, track: AudioTrack): { size: number } {
  const mvex = findBox(source, track.moov, "mvex");
  for (const box of mvex === null ? [] : boxesIn(source, mvex)) {
    if (box.type !== "trex") continue;
    const view = readContent(source, box, 24);
    if (view.getUint32(4) === track.id) return { size: view.getUint32(16) };
  }
  return { size: 0 };
}

/** The runs of one fragment that belong to the track (ISO/IEC 14496-12 sections 8.8.7 and 8.8.8). */
function* fragmentSamples(
  source: ByteSource,
  moof: Box,
  trackId: number,
  defaults: { size: number },
): Generator<Sample> {
  for (const traf of boxesIn(source, moof)) {
    if (traf.type !== "traf") continue;
    const header = findBox(source, traf, "tfhd");
    if (header === null) continue;
    const table = new Table(source, header, 0);
    const flags = (table.next() ?? 0) & 0xff_ffff;
    if (table.next() !== trackId) continue;
    // Offsets count from the start of the fragment's box, unless it names another place.
    const base = flags & 0x01 ? table.nextLong() : moof.start - 8;
    if (flags & 0x02) table.next();
    if (flags & 0x08) table.next();
    const size = flags & 0x10 ? table.next() : defaults.size;
    let offset = base ?? 0;
    for (const run of boxesIn(source, traf)) {
      if (run.type === "trun") offset = yield* runSamples(source, run, base ?? 0, offset, size ?? 0);
    }
  }
}

/** Answers where the next run begins if it doesn't say. */
function* runSamples(
  source: ByteSource,
  run: Box,
  base: number,
  start: number,
  defaultSize: number,
): Generator<Sample, number> {
  const table = new Table(source, run, 0);
  const flags = (table.next() ?? 0) & 0xff_ffff;
  const count = table.next() ?? 0;
  // The offset is signed.
  let offset = flags & 0x01 ? base + ((table.next() ?? 0) | 0) : start;
  if (flags & 0x04) table.next();
  const fieldsBefore = flags & 0x100 ? 1 : 0;
  const fieldsAfter = (flags & 0x400 ? 1 : 0) + (flags & 0x800 ? 1 : 0);
  for (let i = 0; i < count; i++) {
    for (let field = 0; field < fieldsBefore; field++) table.next();
    const size = flags & 0x200 ? table.next() : defaultSize;
    for (let field = 0; field < fieldsAfter; field++) table.next();
    if (size === null) break;
    yield { offset, size };
    offset += size;
  }
  return offset;
}
