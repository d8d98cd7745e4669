import { freeMemory } from "../concurrency/garbage.ts";
import type { Entries } from "./key-entries.ts";
import { entriesAtOnce, firstsOf, pageEntries, pagesOf, pagesOfBytes, pagesOfRun } from "./key-pages.ts";
import type { PackedBlobs } from "../concurrency/packed-blobs.ts";
import { MergedFilter } from "./run-filters.ts";

/** Reads a page of a run; null after its last. The result is valid until the next page of the same run is read. */
export type ReadPage = (run: number, page: number) => Entries | null;

/**
 * Merges many runs into one, a few pages at a time, with one page of each run in memory. The merged run takes effect with
 * the next flush. Until then it is unused, and it is removed after a crash.
 */
export class RunMerge {
  readonly run: number;
  readonly sources: readonly number[];
  readonly entries: number;
  readonly filter: MergedFilter;
  readonly firsts: Float64Array;
  readonly #readPage: ReadPage;
  /** Whether all of its pages are written. */
  isWritten = false;

  constructor(run: number, sources: readonly { run: number; entries: number }[], readPage: ReadPage) {
    this.run = run;
    this.sources = sources.map((source) => source.run);
    this.entries = sources.reduce((sum, source) => sum + source.entries, 0);
    this.filter = new MergedFilter(this.entries);
    this.firsts = new Float64Array(Math.ceil(this.entries / pageEntries));
    this.#readPage = readPage;
  }

  /** The pages to write. Can be iterated once. */
  *pages(): Generator<PackedBlobs, void, void> {
    let page = 0;
    for (const entries of this.#sorted()) {
      this.filter.take(entries.keys);
      this.firsts.set(firstsOf(entries), page);
      yield* pagesOf(this.run, entries, page);
      page += Math.ceil(entries.keys.length / pageEntries);
      freeMemory([entries.keys, entries.numbers]);
    }
    yield* pagesOfBytes(this.run * pagesOfRun + page, this.filter.bytes);
  }

  /** Yields slices that fill whole pages. Entries with the same key stay in the order of their runs. */
  *#sorted(): Generator<Entries, void, void> {
    const cursors = this.sources.map((run) => new Cursor(run, this.#readPage));
    const heads = Float64Array.from(cursors, ({ key }) => key);
    for (let left = this.entries; left > 0;) {
      const count = Math.min(left, entriesAtOnce);
      const piece = { keys: new Float64Array(count), numbers: new Uint32Array(count) };
      for (let at = 0; at < count; at++) {
        let least = 0;
        for (let other = 1; other < heads.length; other++) if (heads[other]! < heads[least]!) least = other;
        const cursor = cursors[least]!;
        if (heads[least] === Number.POSITIVE_INFINITY) throw new Error("Pages of an index are missing");
        piece.keys[at] = cursor.key;
        piece.numbers[at] = cursor.number;
        heads[least] = cursor.next();
      }
      left -= count;
      yield piece;
    }
  }
}

/** Iterates over the entries of a run. */
class Cursor {
  readonly #run: number;
  readonly #readPage: ReadPage;
  /** A copy: the next page of another run may be read into the same memory. */
  readonly #keys = new Float64Array(pageEntries);
  readonly #numbers = new Uint32Array(pageEntries);
  #page = 0;
  #at = 0;
  #count = 0;

  constructor(run: number, readPage: ReadPage) {
    this.#run = run;
    this.#readPage = readPage;
    this.#read();
  }

  /** Infinity after the end. */
  get key(): number {
    return this.#at < this.#count ? this.#keys[this.#at]! : Number.POSITIVE_INFINITY;
  }

  get number(): number {
    return this.#numbers[this.#at]!;
  }

  /** Advances, and returns the key. */
  next(): number {
    if (++this.#at === this.#count) this.#read();
    return this.key;
  }

  #read(): void {
    const page = this.#readPage(this.#run, this.#page++);
    this.#at = 0;
    this.#count = page?.keys.length ?? 0;
    if (page === null) return;
    this.#keys.set(page.keys);
    this.#numbers.set(page.numbers);
  }
}
