import type { Database, Statement } from "bun:sqlite";
import { freeMemory } from "../../../garbage.ts";
import { isPersonKey } from "../../../prospecting/keys.ts";
import type { Keys } from "../../../prospecting/store.ts";
import type { Write } from "./index-messages.ts";
import type { Entries } from "./key-entries.ts";
import { hashOfKey } from "./key-hash.ts";
import { noteNumber } from "./key-lists.ts";
import { indexedKey } from "./name-keys.ts";
import { roomForBlobs, startBehind, type PackedBlobs } from "./packed-blobs.ts";
import { PendingKeys } from "./pending-keys.ts";

/** Entries of a page: hash and number, 12 bytes each, so that a page of ours fills one of SQLite's (4 KiB). */
const pageEntries = 336;
const entryBytes = 12;
/** In one piece of work: a few milliseconds of the event loop. */
const pagesAtOnce = 64;
/** Places of pages: `run * pagesOfRun + page`. */
export const pagesOfRun = 65_536;
/** Runs are merged with those before them while they are smaller than this. */
const largeRun = 200_000;
/** So many questions speak for an import, or for many leads to enrich: a look at each run has cost as much as the filter. */
const questionsBeforeFilter = 4_000;

export type RunState = [run: number, entries: number];
type Run = { run: number; entries: number; firsts: Float64Array | null };
/** A new run, whose pages can be gone through once, and those that it takes the place of. */
export type NewRun = { pages: Generator<PackedBlobs, void, void>; runs: RunState[]; dropped: number[] };

/**
 * The hashes that prospects are found by, as a log-structured merge tree: new ones in memory, those on disk in sorted
 * runs that never change. A run costs a few pages to write however the hashes are spread, where a sorted table would
 * dirty one page for each. Answers are hints: an entry outlives its prospect, and hashes collide.
 */
export class KeyRuns {
  readonly #page: Statement<unknown, [number]>;
  readonly #pages: Statement<{ entries: Uint8Array }, [number, number]>;
  #runs: Run[];
  #pending = new PendingKeys();
  /** Keys that are being written, by key; `written` are those and all others of the same run. */
  #flushing: { own: Entries; written: Entries } | null = null;
  readonly #room = new PageRoom();
  #questions = 0;
  #filters = new RunFilters();

  constructor(database: Database, runs: RunState[]) {
    this.#page = database.prepare("SELECT entries FROM prospect_key_pages WHERE place = ?");
    this.#pages = database.prepare("SELECT entries FROM prospect_key_pages WHERE place BETWEEN ? AND ? ORDER BY place");
    this.#runs = runs.map(([run, entries]) => ({ run, entries, firsts: null }));
  }

  /** The runs on disk. */
  get state(): RunState[] {
    return this.#runs.map(({ run, entries }) => [run, entries]);
  }

  add(key: number, number: number): void {
    this.#pending.add(key, number);
  }

  /** Adds the keys of a prospect, which may be a part of a list; `beside`: see `besideName`. */
  addAll(keys: Keys, beside: number, number: number, start = 0, end = keys.length): void {
    for (let at = start; at < end; at++) this.#pending.add(indexedKey(keys[at]!, at - start, beside), number);
  }

  /** As `addAll`, of a column `keys`: little-endian, 64-bit floats. */
  addColumn(bytes: Uint8Array, beside: number, number: number): void {
    hashBytes.set(bytes); // a view of other memory for each prospect would cost more than all the rest here
    this.addAll(hashes, beside, number, 0, bytes.length / 8);
  }

  /** Numbers that may have this key, not more than `most`; each once, unless that is without end. They are put into `found`. */
  find(key: number, most: number, found: number[] = []): readonly number[] {
    this.#pending.find(key, found, most);
    if (this.#flushing !== null) noteNumbers(this.#flushing.own, key, found, most);
    this.#questions++;
    let unfiltered = 0;
    if (isPersonKey(key)) {
      unfiltered = this.#filters.ready;
      for (let group = 0; group * slotsOfGroup < unfiltered; group++)
        for (let bits = this.#filters.bitsOf(group, key); bits !== 0; bits &= bits - 1)
          this.#findIn(this.#runs[group * slotsOfGroup + 31 - Math.clz32(bits & -bits)]!, key, found, most);
    }
    for (let slot = unfiltered; slot < this.#runs.length && found.length < most; slot++)
      this.#findIn(this.#runs[slot]!, key, found, most);
    return found;
  }

  /** To be called now and then between questions: prepares what makes many of them fast, a piece at a time. */
  prepare(): void {
    if (this.#questions < questionsBeforeFilter) return;
    const run = this.#runs[this.#filters.ready];
    if (run !== undefined) this.#filters.takeIn(this.#pagesOf(run));
  }

  /** Nobody asks any more: what made many questions fast is let go. */
  rest(): void {
    this.#questions = 0;
    this.#filters = new RunFilters();
    if (this.#pending.size === 0) this.#pending = new PendingKeys();
  }

  /** The new run that has all pending keys, and small runs before it; `next` numbers it. Null when there is nothing. */
  beginFlush(next: () => number): NewRun | null {
    if (this.#pending.size === 0) return null;
    const own = this.#pending.take();
    const merged: Run[] = [];
    let entries = own.keys.length;
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const run = this.#runs[at]!;
      if (run.entries >= largeRun || run.entries > 2 * entries) break;
      merged.unshift(run);
      entries += run.entries;
    }
    const all = merged.reduce((sum, run) => mergedEntries(sum, gathered(this.#pagesOf(run), run.entries)), own);
    this.#flushing = { own, written: all };
    const run = next();
    const kept = this.#runs.slice(0, this.#runs.length - merged.length);
    return {
      pages: pagesOf(run, all),
      runs: [...kept.map((each): RunState => [each.run, each.entries]), [run, all.keys.length]],
      dropped: merged.map((each) => each.run),
    };
  }

  endFlush(runs: RunState[]): void {
    const known = new Map(this.#runs.map((run) => [run.run, run]));
    const firsts = this.#flushing === null ? null : firstsOf(this.#flushing.written);
    this.#runs = runs.map(([run, entries]) => known.get(run) ?? { run, entries, firsts });
    this.#filters.keep(runs.length - 1);
    // While they are here they need not be read again.
    const isLast = this.#filters.ready > 0 && this.#filters.ready === runs.length - 1;
    if (this.#flushing === null) return;
    const { own, written } = this.#flushing;
    this.#flushing = null;
    if (isLast) this.#filters.takeIn([written]);
    for (const { keys, numbers } of [own, written]) freeMemory([keys, numbers]);
  }

  failFlush(): void {
    if (this.#flushing === null) return;
    const { keys, numbers } = this.#flushing.own;
    this.#flushing = null;
    for (let at = 0; at < keys.length; at++) this.#pending.add(keys[at]!, numbers[at]!);
  }

  #findIn(run: Run, key: number, found: number[], most: number): void {
    run.firsts ??= this.#readFirsts(run);
    // Equal keys may go over the border of a page.
    let page = Math.max(0, lowerBound(run.firsts, key) - 1);
    for (; page < run.firsts.length && run.firsts[page]! <= key; page++) {
      const [row] = this.#page.values(run.run * pagesOfRun + page) as [Uint8Array][];
      if (row === undefined) return;
      noteNumbers(this.#room.entriesIn(row[0]), key, found, most);
      freeMemory(row); // an import reads some hundred pages a batch
    }
  }

  #readFirsts(run: Run): Float64Array {
    const firsts: number[] = [];
    for (const { keys } of this.#pagesOf(run)) firsts.push(keys[0]!);
    return Float64Array.from(firsts);
  }

  /** Each page holds until the next is asked for. */
  *#pagesOf({ run }: Run): Generator<Entries, void, void> {
    for (const { entries } of this.#pages.iterate(run * pagesOfRun, run * pagesOfRun + pagesOfRun - 1)) {
      yield this.#room.entriesIn(entries);
      freeMemory([entries]); // of a run they come to some MB
    }
  }
}

/** A prospect has five at most. */
const hashes = new Float64Array(16);
const hashBytes = new Uint8Array(hashes.buffer);

/** Removes runs that no directory has any more, some pages at a time. */
export async function dropRuns(runs: readonly number[], write: Write): Promise<void> {
  for (const run of runs) {
    const pages = { from: run * pagesOfRun, to: (run + 1) * pagesOfRun - 1 };
    while ((await write({ kind: "dropPages", ...pages })) !== 0);
  }
}

/** The first key of each page that entries are written on. */
function firstsOf({ keys }: Entries): Float64Array {
  const firsts = new Float64Array(Math.ceil(keys.length / pageEntries));
  for (let page = 0; page < firsts.length; page++) firsts[page] = keys[page * pageEntries]!;
  return firsts;
}

function gathered(pages: Iterable<Entries>, count: number): Entries {
  const keys = new Float64Array(count);
  const numbers = new Uint32Array(count);
  let at = 0;
  for (const page of pages) {
    keys.set(page.keys, at);
    numbers.set(page.numbers, at);
    at += page.keys.length;
  }
  return { keys, numbers };
}

function mergedEntries(a: Entries, b: Entries): Entries {
  const length = a.keys.length + b.keys.length;
  const keys = new Float64Array(length);
  const numbers = new Uint32Array(length);
  for (let at = 0, i = 0, j = 0; at < length; at++) {
    const [from, place] = j === b.keys.length || (i < a.keys.length && a.keys[i]! <= b.keys[j]!) ? [a, i++] : [b, j++];
    keys[at] = from.keys[place]!;
    numbers[at] = from.numbers[place]!;
  }
  return { keys, numbers };
}

function* pagesOf(run: number, { keys, numbers }: Entries): Generator<PackedBlobs, void, void> {
  const perPiece = pagesAtOnce * pageEntries;
  for (let from = 0; from < keys.length; from += perPiece) {
    const count = Math.min(perPiece, keys.length - from);
    const lengths = new Uint32Array(Math.ceil(count / pageEntries)).fill(pageEntries * entryBytes);
    lengths[lengths.length - 1] = (count - (lengths.length - 1) * pageEntries) * entryBytes;
    const blobs = roomForBlobs(lengths);
    const toKeys = new Float64Array(blobs.bytes.buffer);
    const toNumbers = new Uint32Array(blobs.bytes.buffer);
    for (let page = 0, entry = from, start = 0; page < lengths.length; start = startBehind(start, lengths[page++]!)) {
      blobs.places[page] = run * pagesOfRun + entry / pageEntries;
      const entries = lengths[page]! / entryBytes;
      const firstNumber = start / 4 + entries * 2;
      for (let at = 0; at < entries; at++, entry++) {
        toKeys[start / 8 + at] = keys[entry]!;
        toNumbers[firstNumber + at] = numbers[entry]!;
      }
    }
    yield blobs;
  }
}

/** Shares memory with the page, where that lies as it has to. */
function entriesIn(page: Uint8Array): Entries {
  const { buffer, byteOffset } = page.byteOffset % 8 === 0 ? page : page.slice();
  const count = page.length / entryBytes;
  return {
    keys: new Float64Array(buffer, byteOffset, count),
    numbers: new Uint32Array(buffer, byteOffset + count * 8, count),
  };
}

/** Where one page after the other is looked at; what it answers holds until the next. */
class PageRoom {
  readonly #bytes = new Uint8Array(pageEntries * entryBytes);
  readonly #whole = entriesIn(this.#bytes);

  entriesIn(page: Uint8Array): Entries {
    if (page.length !== this.#bytes.length) return entriesIn(page);
    this.#bytes.set(page);
    return this.#whole;
  }
}

/** Adds the numbers of a key to `found`, until that has `most`. */
function noteNumbers({ keys, numbers }: Entries, key: number, found: number[], most: number): void {
  for (let at = lowerBound(keys, key); at < keys.length && keys[at] === key && found.length < most; at++)
    noteNumber(found, numbers[at]!, most);
}

function lowerBound(list: Float64Array, key: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const slotsOfGroup = 16;
const filterLines = 2 ** 17;
/** Words of a line: the 64 bytes that a processor fetches at once. */
const lineWords = 32;

/**
 * Bloom filters of up to 16 runs lie across: a word has one bit of each run, so that one look tells for all of them, and
 * the words of a key are in one line (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters").
 * 8 MB a group, which is a million prospects; of the hashes that a run does not have, one in 200 seems to be there.
 */
class RunFilters {
  readonly #groups: Uint16Array[] = [];
  #ready = 0;

  /** Runs whose filter is filled: the first so many. */
  get ready(): number {
    return this.#ready;
  }

  /** Runs of a group that may have the key: a bit for each. */
  bitsOf(group: number, key: number): number {
    const words = this.#groups[group]!;
    const hash = hashOfKey(key);
    const line = lineOf(hash);
    return words[line + first(hash)]! & words[line + second(hash)]! & words[line + third(hash)]!;
  }

  /** Takes the keys of the next run. */
  takeIn(pages: Iterable<Entries>): void {
    const slot = this.#ready++;
    const words = (this.#groups[Math.floor(slot / slotsOfGroup)] ??= new Uint16Array(filterLines * lineWords));
    const bit = 1 << (slot % slotsOfGroup);
    for (const { keys } of pages)
      for (let at = 0; at < keys.length; at++) if (isPersonKey(keys[at]!)) setBit(words, bit, hashOfKey(keys[at]!));
  }

  /** Of the runs only the first `count` are what they were. */
  keep(count: number): void {
    for (let slot = Math.max(0, count); slot < this.#ready; slot++) {
      const words = this.#groups[Math.floor(slot / slotsOfGroup)]!;
      const others = ~(1 << (slot % slotsOfGroup));
      for (let at = 0; at < words.length; at++) words[at] = words[at]! & others;
    }
    this.#ready = Math.min(this.#ready, Math.max(0, count));
  }
}

function setBit(words: Uint16Array, bit: number, hash: number): void {
  const line = lineOf(hash);
  words[line + first(hash)]! |= bit;
  words[line + second(hash)]! |= bit;
  words[line + third(hash)]! |= bit;
}

const lineOf = (hash: number): number => (hash >>> 15) * lineWords;
const first = (hash: number): number => hash & (lineWords - 1);
const second = (hash: number): number => (hash >>> 5) & (lineWords - 1);
const third = (hash: number): number => (hash >>> 10) & (lineWords - 1);
