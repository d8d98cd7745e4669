import type { Database, Statement } from "bun:sqlite";
import type { Term } from "../../../../features/prospecting/facets/terms.ts";
import { termKey } from "../../../../features/prospecting/facets/terms.ts";
import {
  containerOf,
  emptyContainer,
  MutableContainer,
  type Container,
} from "../../../../lib/search-index/container.ts";
import type { TermRow } from "./index-messages.ts";

/** Places of a term's postings: `id * segments + segment`. */
export const segments = 65_536;

/** A value of a facet, and the prospects with it. */
export class TermPostings {
  /** Containers that differ from disk, by segment; while they are being written, they are in `flushing`. */
  dirty = new Map<number, MutableContainer>();
  flushing: Map<number, Container> | null = null;
  /** Number of prospects with it. */
  count: number;
  /** The container of the last addition: prospects are added in order. */
  lastSegment = -1;
  last: MutableContainer | null = null;

  constructor(
    readonly term: Term,
    readonly id: number,
    count: number,
    /** Whether any of it may be on disk. */
    public isStored: boolean,
  ) {
    this.count = count;
  }

  row(): TermRow {
    const { facet, value, label } = this.term;
    return { facet, value, id: this.id, label, count: this.count };
  }
}

/** Containers of whole terms as on disk, shared by all owners. The least recently used are evicted first. */
export class PostingsCache {
  readonly #byTerm = new Map<number, { containers: Container[]; bytes: number }>();
  readonly #maxBytes: number;
  readonly #load: Statement<unknown, [number, number]>;
  #bytes = 0;

  constructor(database: Database, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#load = database.prepare("SELECT place, bits FROM prospect_postings WHERE place BETWEEN ? AND ?");
  }

  /** By segment. Segments without the term are empty. */
  get(id: number): Container[] {
    const known = this.#byTerm.get(id);
    this.#byTerm.delete(id);
    const entry = known ?? this.#read(id);
    this.#byTerm.set(id, entry);
    if (known === undefined) this.#shrink();
    return entry.containers;
  }

  /** Updates the cache after a container was written. */
  written(id: number, segment: number, container: Container): void {
    const entry = this.#byTerm.get(id);
    if (entry === undefined) return;
    const change = container.byteLength - (entry.containers[segment]?.byteLength ?? 0);
    entry.containers[segment] = container;
    entry.bytes += change;
    this.#bytes += change;
  }

  forget(id: number): void {
    this.#bytes -= this.#byTerm.get(id)?.bytes ?? 0;
    this.#byTerm.delete(id);
  }

  #read(id: number): { containers: Container[]; bytes: number } {
    const containers: Container[] = [];
    let bytes = 100; // an entry without any is not free either
    for (const [place, bits] of this.#load.values(id * segments, id * segments + segments - 1) as [
      number,
      Uint8Array,
    ][]) {
      const container = containerOf(bits);
      containers[place - id * segments] = container;
      bytes += container.byteLength;
    }
    this.#bytes += bytes;
    return { containers, bytes };
  }

  #shrink(): void {
    for (const id of this.#byTerm.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#byTerm.size === 1) return;
      this.forget(id);
    }
  }
}

/** Maximum number of terms in memory, apart from those with unwritten changes. */
const maxIdleTerms = 50_000;

/** The inverted index of one owner: what is on disk, overlaid with changes that are not written yet. */
export class Postings {
  /** If it has changed, postings that were returned earlier may no longer be in use. */
  generation = 0;
  readonly #owner: number;
  readonly #cache: PostingsCache;
  readonly #nextId: () => number;
  readonly #find: Statement<{ id: number; label: string; prospects: number }, [number, string, string]>;
  readonly #ofFacet: Statement<{ value: string; label: string; prospects: number }, [number, string]>;
  readonly #one: Statement<unknown, [number]>;
  readonly #terms = new Map<string, TermPostings>();
  readonly #dirty = new Set<TermPostings>();
  #dirtyContainers = 0;

  constructor(database: Database, owner: number, cache: PostingsCache, nextId: () => number) {
    this.#owner = owner;
    this.#cache = cache;
    this.#nextId = nextId;
    this.#find = database.prepare(
      "SELECT id, label, prospects FROM prospect_terms WHERE owner = ? AND facet = ? AND value = ?",
    );
    this.#ofFacet = database.prepare(
      "SELECT value, label, prospects FROM prospect_terms WHERE owner = ? AND facet = ?",
    );
    this.#one = database.prepare("SELECT bits FROM prospect_postings WHERE place = ?");
  }

  /** Number of unwritten containers, of up to 8 KiB each. */
  get dirtyContainers(): number {
    return this.#dirtyContainers;
  }

  /** The postings of a term, empty if it is new. */
  of(term: Term): TermPostings {
    const key = termKey(term);
    const known = this.#terms.get(key) ?? this.#stored(key, term.facet, term.value);
    if (known !== null) return known;
    const made = new TermPostings(term, this.#nextId(), 0, false);
    this.#terms.set(key, made);
    return made;
  }

  /** By `termKey`; null if no prospect ever had it. */
  known(key: string): TermPostings | null {
    const space = key.indexOf(" ");
    return this.#terms.get(key) ?? this.#stored(key, key.slice(0, space) as Term["facet"], key.slice(space + 1));
  }

  add(postings: TermPostings, number: number): void {
    const segment = number >>> 16;
    const container = segment === postings.lastSegment ? postings.last! : this.#mutable(postings, segment);
    if (container.add(number & 0xffff)) postings.count++;
  }

  /** Adds a part of a list of ascending numbers. */
  addAll(postings: TermPostings, numbers: Uint32Array, start: number, end: number): void {
    for (let from = start, to = from; from < end; from = to) {
      const segment = numbers[from]! >>> 16;
      while (to < end && numbers[to]! >>> 16 === segment) to++;
      postings.count += this.#mutable(postings, segment).addAll(numbers, from, to);
    }
  }

  remove(postings: TermPostings, number: number): void {
    if (this.#mutable(postings, number >>> 16).remove(number & 0xffff)) postings.count--;
  }

  /** Returns the current containers of a term, as a function of the segment. */
  reader(postings: TermPostings): (segment: number) => Container {
    const stored = postings.isStored ? this.#cache.get(postings.id) : [];
    const { dirty, flushing } = postings;
    return (segment) => dirty.get(segment)?.view() ?? flushing?.get(segment) ?? stored[segment] ?? emptyContainer;
  }

  /** All values of a facet with their counts. */
  values(facet: string): Map<string, { label: string; count: number }> {
    const found = new Map(
      this.#ofFacet.all(this.#owner, facet).map(({ value, label, prospects }) => [value, { label, count: prospects }]),
    );
    for (const { term, count } of this.#terms.values())
      if (term.facet === facet) found.set(term.value, { label: term.label, count });
    return found;
  }

  /** All unwritten changes. Later changes belong to the next flush. */
  beginFlush(): { row: TermRow; containers: [segment: number, Container][] }[] {
    return [...this.#dirty].map((postings) => {
      const frozen = new Map([...postings.dirty].map(([segment, container]) => [segment, container.freeze()] as const));
      postings.flushing = frozen;
      postings.dirty = new Map();
      postings.lastSegment = -1;
      postings.last = null;
      this.#dirty.delete(postings);
      this.#dirtyContainers -= frozen.size;
      return { row: postings.row(), containers: [...frozen] };
    });
  }

  /** The changes returned by `beginFlush` are on disk. */
  endFlush(): void {
    for (const postings of this.#terms.values()) {
      if (postings.flushing === null) continue;
      for (const [segment, container] of postings.flushing) this.#cache.written(postings.id, segment, container);
      postings.flushing = null;
      postings.isStored = true;
    }
    if (this.#terms.size <= maxIdleTerms) return;
    this.generation++;
    for (const [key, postings] of this.#terms) if (postings.dirty.size === 0) this.#terms.delete(key);
  }

  /** The flush failed: its changes are unwritten again. */
  failFlush(): void {
    for (const postings of this.#terms.values()) {
      for (const [segment, container] of postings.flushing ?? []) {
        if (postings.dirty.has(segment)) continue;
        postings.dirty.set(segment, new MutableContainer(container));
        this.#dirtyContainers++;
      }
      if (postings.flushing !== null) this.#dirty.add(postings);
      postings.flushing = null;
    }
  }

  #stored(key: string, facet: Term["facet"], value: string): TermPostings | null {
    const row = this.#find.get(this.#owner, facet, value);
    if (row === null) return null;
    const postings = new TermPostings({ facet, value, label: row.label }, row.id, row.prospects, true);
    this.#terms.set(key, postings);
    return postings;
  }

  #mutable(postings: TermPostings, segment: number): MutableContainer {
    let container = postings.dirty.get(segment);
    if (container === undefined) {
      container = new MutableContainer(this.#base(postings, segment));
      postings.dirty.set(segment, container);
      this.#dirty.add(postings);
      this.#dirtyContainers++;
    }
    postings.lastSegment = segment;
    postings.last = container;
    return container;
  }

  #base({ id, isStored, flushing }: TermPostings, segment: number): Container {
    const beingWritten = flushing?.get(segment);
    if (beingWritten !== undefined) return beingWritten;
    if (!isStored) return emptyContainer;
    const [row] = this.#one.values(id * segments + segment) as [Uint8Array][];
    return row === undefined ? emptyContainer : containerOf(row[0]);
  }
}
