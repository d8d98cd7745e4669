import { freeMemory } from "../concurrency/garbage.ts";
import type { Entries } from "./key-entries.ts";
import { isHot } from "./key-hash.ts";
import {
  eachNumber,
  firstsOf,
  lowerBound,
  noteNumbers,
  pageEntries,
  PageRoom,
  pagesOf,
  pagesOfRun,
} from "./key-pages.ts";
import type { PackedBlobs } from "../concurrency/packed-blobs.ts";
import { PendingKeys } from "./pending-keys.ts";
import { MergedFilter, RunFilters, runsOfGroup } from "./run-filters.ts";
import { RunMerge } from "./run-merge.ts";

/** A flush includes the previous runs while they are smaller than this. */
const entriesOfLargeRun = 200_000;
/** This many lookups indicate an import, or many leads to enrich: reading every run has cost as much as a filter. */
const questionsBeforeFilter = 4_000;

/** Stored pages, which may be freed once they were read. */
export type RunPages = {
  page(place: number): Uint8Array | null;
  /** In the order of their places; both ends are included. */
  pages(from: number, to: number): Iterable<Uint8Array>;
};
export type RunState = [run: number, entries: number];
type Run = { run: number; entries: number; firsts: Float64Array | null };
/** Pages to write, which can be iterated once; the runs that exist then; and those that are no longer used. */
export type NewRun = { pages: Generator<PackedBlobs, void, void>; runs: RunState[]; dropped: number[] };
/** Entries that are being written, sorted: `written` also contains those of the runs that the new one replaces. */
type Flush = { own: Entries; written: Entries; merge: RunMerge | null };

/**
 * Finds numbers by keys, as a log-structured merge tree: new entries in memory, those on disk in sorted runs that never
 * change. Writing a run costs few pages however the keys are spread, whereas a sorted table would dirty a page for each.
 * Every run is one more place to look, so the runs of flushes, with about 300,000 entries, are merged in groups of
 * sixteen. Results are hints: an entry may outlive its record, and hashes collide.
 */
export class KeyRuns {
  readonly #pages: RunPages;
  readonly #largeRun: number;
  /** Merged runs, then those of flushes. */
  #runs: Run[];
  #pending = new PendingKeys();
  #flushing: Flush | null = null;
  #merge: RunMerge | null = null;
  readonly #room = new PageRoom();
  #questions = 0;
  #filters = new RunFilters();
  readonly #candidates: number[] = [];

  /** `largeRun`: runs with this many entries are not included in a flush. */
  constructor(pages: RunPages, runs: RunState[], largeRun = entriesOfLargeRun) {
    this.#pages = pages;
    this.#runs = runs.map(([run, entries]) => ({ run, entries, firsts: null }));
    this.#largeRun = largeRun;
  }

  /** The runs on disk. */
  get state(): RunState[] {
    return this.#runs.map(({ run, entries }) => [run, entries]);
  }

  add(key: number, number: number): void {
    this.#pending.add(key, number);
  }

  /** Adds numbers that may have this key to `found`, up to `most`; each once, unless `most` is infinite. */
  find(key: number, most: number, found: number[] = []): readonly number[] {
    this.#pending.find(key, found, most);
    if (this.#flushing !== null) noteNumbers(this.#flushing.own, key, found, most);
    this.#questions++;
    let unfiltered = 0;
    if (isHot(key)) {
      unfiltered = this.#filters.ready;
      const count = this.#filters.candidates(key, this.#candidates);
      for (let at = 0; at < count; at++) this.#findIn(this.#runs[this.#candidates[at]!]!, key, found, most);
    }
    for (let at = unfiltered; at < this.#runs.length && found.length < most; at++)
      this.#findIn(this.#runs[at]!, key, found, most);
    return found;
  }

  /** Calls `take` for every number that may have this key, for some more than once. */
  each(key: number, take: (number: number) => void): void {
    this.#pending.each(key, take);
    if (this.#flushing !== null) eachNumber(this.#flushing.own, key, take);
    for (const run of this.#runs) for (const page of this.#pagesWith(run, key)) eachNumber(page, key, take);
  }

  /** Whether there are many lookups, and `prepare` would make them faster. */
  get isToBePrepared(): boolean {
    return this.#questions >= questionsBeforeFilter && this.#filters.ready < this.#runs.length;
  }

  /** Builds the next filter. */
  prepare(): void {
    const run = this.#runs[this.#filters.ready];
    if (run === undefined) return;
    if (this.#isMerged(run)) this.#filters.takeMerged(this.#readFilter(run));
    else this.#filters.take(this.#pagesOf(run));
  }

  /** Frees the filters when there are no more lookups. */
  rest(): void {
    this.#questions = 0;
    this.#filters = new RunFilters();
    if (this.#pending.size === 0) this.#pending = new PendingKeys();
  }

  /** Starts merging sixteen runs of flushes; the caller writes the pages. Null if there is nothing to merge. */
  beginMerge(next: () => number): RunMerge | null {
    if (this.#merge !== null) return null;
    const merged = this.#mergedRuns();
    const sources = this.#runs.slice(merged, merged + runsOfGroup);
    if (sources.length < runsOfGroup || sources.some(({ entries }) => entries < this.#largeRun)) return null;
    this.#merge = new RunMerge(next(), sources, (run, page) => this.#readPage(run, page));
    return this.#merge;
  }

  /** All pages of the merge are written: the next flush includes it. */
  endMerge(): void {
    if (this.#merge !== null) this.#merge.isWritten = true;
  }

  failMerge(): void {
    this.#merge = null;
  }

  /**
   * Starts a run with all pending keys, the small runs before it, and what was merged since the last flush; `next` returns
   * its number. Null if there is nothing to write.
   */
  beginFlush(next: () => number): NewRun | null {
    const merge = this.#merge?.isWritten ? this.#merge : null;
    if (this.#pending.size === 0 && merge === null) return null;
    const own = this.#pending.take();
    const small = own.keys.length === 0 ? [] : this.#smallRuns(own.keys.length);
    const written = small.reduce((sum, run) => mergedEntries(sum, gathered(this.#pagesOf(run), run.entries)), own);
    this.#flushing = { own, written, merge };
    const kept = this.#runs
      .slice(0, this.#runs.length - small.length)
      .map(({ run, entries }): RunState => [run, entries]);
    if (merge !== null) kept.splice(this.#mergedRuns(), runsOfGroup, [merge.run, merge.entries]);
    const run = next();
    return {
      pages: pagesOf(run, written),
      runs: written.keys.length === 0 ? kept : [...kept, [run, written.keys.length]],
      dropped: [...(merge?.sources ?? []), ...small.map((each) => each.run)],
    };
  }

  endFlush(runs: RunState[]): void {
    if (this.#flushing === null) return;
    const { own, written, merge } = this.#flushing;
    this.#flushing = null;
    const known = new Map(this.#runs.map((run) => [run.run, run]));
    if (merge !== null) {
      known.set(merge.run, { run: merge.run, entries: merge.entries, firsts: merge.firsts });
      this.#filters.groupMerged(merge.filter);
      this.#merge = null;
    }
    const firsts = firstsOf(written);
    this.#runs = runs.map(([run, entries]) => known.get(run) ?? { run, entries, firsts });
    const kept = runs.filter(([run]) => known.has(run)).length;
    this.#filters.keep(kept);
    // They are in memory, so they need not be read again.
    if (this.#filters.ready > 0 && this.#filters.ready === kept && kept < runs.length) this.#filters.take([written]);
    for (const { keys, numbers } of [own, written]) freeMemory([keys, numbers]);
  }

  failFlush(): void {
    if (this.#flushing === null) return;
    const { keys, numbers } = this.#flushing.own;
    this.#flushing = null;
    for (let at = 0; at < keys.length; at++) this.#pending.add(keys[at]!, numbers[at]!);
  }

  /** The last runs, which a flush of this many entries includes. */
  #smallRuns(entries: number): Run[] {
    const small: Run[] = [];
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const run = this.#runs[at]!;
      if (run.entries >= this.#largeRun || run.entries > 2 * entries) break;
      small.unshift(run);
      entries += run.entries;
    }
    return small;
  }

  #isMerged({ entries }: Run): boolean {
    return entries >= runsOfGroup * this.#largeRun;
  }

  /** Number of merged runs. */
  #mergedRuns(): number {
    const first = this.#runs.findIndex((run) => !this.#isMerged(run));
    return first === -1 ? this.#runs.length : first;
  }

  #findIn(run: Run, key: number, found: number[], most: number): void {
    for (const page of this.#pagesWith(run, key)) noteNumbers(page, key, found, most);
  }

  /** Each page is valid until the next one is read. */
  *#pagesWith(run: Run, key: number): Generator<Entries, void, void> {
    run.firsts ??= this.#readFirsts(run);
    // Equal keys may extend over several pages.
    let page = Math.max(0, lowerBound(run.firsts, key) - 1);
    for (; page < run.firsts.length && run.firsts[page]! <= key; page++) {
      const entries = this.#readPage(run.run, page);
      if (entries === null) return;
      yield entries;
    }
  }

  /** The result is valid until the next page is read. */
  #readPage(run: number, page: number): Entries | null {
    const bytes = this.#pages.page(run * pagesOfRun + page);
    if (bytes === null) return null;
    const entries = this.#room.entriesIn(bytes);
    if (entries.keys.buffer !== bytes.buffer) freeMemory([bytes]); // an import reads hundreds of pages per batch
    return entries;
  }

  #readFirsts(run: Run): Float64Array {
    const firsts: number[] = [];
    for (const { keys } of this.#pagesOf(run)) firsts.push(keys[0]!);
    return Float64Array.from(firsts);
  }

  #readFilter({ run, entries }: Run): MergedFilter {
    const filter = new MergedFilter(entries);
    let at = 0;
    for (const page of this.#blobs(run, pageCount(entries), pagesOfRun)) {
      filter.bytes.set(page, at);
      at += page.length;
    }
    return filter;
  }

  /** Each page is valid until the next one is read. */
  *#pagesOf({ run, entries }: Run): Generator<Entries, void, void> {
    for (const page of this.#blobs(run, 0, pageCount(entries))) yield this.#room.entriesIn(page);
  }

  *#blobs(run: number, from: number, to: number): Generator<Uint8Array, void, void> {
    for (const page of this.#pages.pages(run * pagesOfRun + from, run * pagesOfRun + to - 1)) {
      yield page;
      freeMemory([page]); // those of a run take several MB
    }
  }
}

/** Number of pages for the entries of a run. */
const pageCount = (entries: number): number => Math.ceil(entries / pageEntries);

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

/** The places of all pages of a run. */
export function placesOf(run: number): { from: number; to: number } {
  return { from: run * pagesOfRun, to: (run + 1) * pagesOfRun - 1 };
}
