import { garbageCollector } from "../../../../lib/concurrency/garbage.ts";
import { termsOfRaw, type RawFacet, type Term } from "../../../../features/prospecting/facets/terms.ts";
import type { StoredRows } from "./index-messages.ts";
import type { TermPostings } from "./postings.ts";

/** A batch is asked about before the next but one is stored; more wait only for an index that is far behind. */
const maxBatches = 16;

/**
 * What was committed lately, as the import that stored it has told, until the index gets there. It saves reading the
 * prospects again; what is not told, or was told to a thread that is gone, the index reads.
 */
export class StoredBatches {
  #batches: { stored: StoredRows; raws: RawTerms }[] = [];
  #raws: RawTerms | null = null;

  take(stored: StoredRows): void {
    const { epoch, from, added } = stored.found;
    const source = `${stored.source} ${epoch}`;
    if (this.#raws?.source !== source) this.#raws = new RawTerms(source);
    // Who was not told of some numbers, knows none of them.
    if (!this.#raws.add(from, added)) return;
    this.#batches.push({ stored, raws: this.#raws });
    if (this.#batches.length > maxBatches) this.#batches.shift();
  }

  /** The first number, from this one on, that was told of; those before it have to be read. */
  nextFrom(number: number): number {
    this.#batches = this.#batches.filter(({ stored }) => stored.first >= number);
    return this.#batches[0]?.stored.first ?? Number.POSITIVE_INFINITY;
  }

  /** Takes out the batch that begins with the number `nextFrom` answered. */
  shift(): { stored: StoredRows; raws: RawTerms } {
    return this.#batches.shift()!;
  }
}

/** Terms leave a few KB behind each time; an import begins with some thousand of them, all in one go. */
const rawsBetweenCollections = 256;

/** The postings of raw values by the numbers that an import gave them. */
export class RawTerms {
  readonly source: string;
  readonly #raws: string[] = [];
  readonly #collect = garbageCollector(rawsBetweenCollections, Number.POSITIVE_INFINITY);
  #postings: TermPostings[][] = [];
  #generation = -1;

  constructor(source: string) {
    this.source = source;
  }

  /** How many values there are. */
  get size(): number {
    return this.#raws.length;
  }

  /** False when there are values that it was not told of. */
  add(from: number, added: readonly string[]): boolean {
    if (from !== this.#raws.length) return false;
    for (const raw of added) this.#raws.push(raw);
    return true;
  }

  /** With `generation`, what was answered before may be out of use. */
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
