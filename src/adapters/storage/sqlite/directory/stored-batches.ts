import { garbageCollector } from "../../../../lib/concurrency/garbage.ts";
import { termsOfRaw, type RawFacet, type Term } from "../../../../features/prospecting/facets/terms.ts";
import type { StoredRows } from "./index-messages.ts";
import type { TermPostings } from "./postings.ts";

/** A batch is read before the next but one is stored. Further ones wait only if the index is far behind. */
const maxBatches = 16;

/**
 * Recently committed batches, as reported by the import, until the index processes them. This saves reading the prospects
 * again. The index reads batches that were not reported, or were reported to a thread that has ended.
 */
export class StoredBatches {
  #batches: { stored: StoredRows; raws: RawTerms }[] = [];
  #raws: RawTerms | null = null;

  take(stored: StoredRows): void {
    const { epoch, from, added } = stored.found;
    const source = `${stored.source} ${epoch}`;
    if (this.#raws?.source !== source) this.#raws = new RawTerms(source);
    // With a gap in the numbers, none of them are known.
    if (!this.#raws.add(from, added)) return;
    this.#batches.push({ stored, raws: this.#raws });
    if (this.#batches.length > maxBatches) this.#batches.shift();
  }

  /** The first reported number from this one on. Those before it must be read. */
  nextFrom(number: number): number {
    this.#batches = this.#batches.filter(({ stored }) => stored.first >= number);
    return this.#batches[0]?.stored.first ?? Number.POSITIVE_INFINITY;
  }

  /** Removes the batch that starts with the number that `nextFrom` returned. */
  shift(): { stored: StoredRows; raws: RawTerms } {
    return this.#batches.shift()!;
  }
}

/** Terms per slice: each leaves a few KB of garbage, and an import starts with thousands of them. */
const rawsBetweenCollections = 256;

/** The postings of raw values, by the numbers that an import assigned. */
export class RawTerms {
  readonly source: string;
  readonly #raws: string[] = [];
  readonly #collect = garbageCollector(rawsBetweenCollections, Number.POSITIVE_INFINITY);
  #postings: TermPostings[][] = [];
  #generation = -1;

  constructor(source: string) {
    this.source = source;
  }

  /** Number of values. */
  get size(): number {
    return this.#raws.length;
  }

  /** False if some values were not reported. */
  add(from: number, added: readonly string[]): boolean {
    if (from !== this.#raws.length) return false;
    for (const raw of added) this.#raws.push(raw);
    return true;
  }

  /** With a new `generation`, earlier results may no longer be in use. */
  postings(number: number, generation: number, of: (term: Term) => TermPostings): TermPostings[] {
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#postings = [];
    }
    return (this.#postings[number] ??= this.#made(number, of));
  }

  #made(number: number, of: (term: Term) => TermPostings): TermPostings[] {
    const made = this.#terms(number).map(of);
    this.#collect();
    return made;
  }

  #terms(number: number): Term[] {
    const text = this.#raws[number]!;
    const space = text.indexOf(" ");
    return termsOfRaw(text.slice(0, space) as RawFacet, text.slice(space + 1));
  }
}
