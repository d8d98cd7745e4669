import { termKey, type Term, type TermFacet } from "../../../../features/prospecting/facets/terms.ts";
import {
  andNot,
  countOf,
  MutableContainer,
  newRoom,
  or,
  smallest,
  type Container,
} from "../../../../lib/search-index/container.ts";

// What a transaction changes in the index is stored as one text: the terms, each with the prospects that have it now and
// those that have it no longer. Repeating the changes in their order on sets that already contain some of them does no
// harm, since the last one about a prospect and a term counts.

/** Numbers are counted from the lowest one. */
type Stored = {
  from: number;
  terms: [facet: TermFacet, value: string, label: string, added: number[], removed: number[]][];
};

/** The changes of one transaction. */
export class TermChanges {
  readonly #byKey = new Map<string, { term: Term; added: Set<number>; removed: Set<number> }>();
  readonly #numbers = new Set<number>();

  /** Number of prospects. */
  get size(): number {
    return this.#numbers.size;
  }

  note(number: number, { removed, added }: { removed: readonly Term[]; added: readonly Term[] }): void {
    if (removed.length + added.length > 0) this.#numbers.add(number);
    for (const term of removed) this.#of(term).removed.add(number);
    for (const term of added) this.#of(term).added.add(number);
  }

  encode(): string {
    let from = Number.POSITIVE_INFINITY;
    for (const number of this.#numbers) from = Math.min(from, number);
    const offsets = (numbers: Set<number>) => Array.from(numbers, (number) => number - from);
    const terms: Stored["terms"] = [];
    for (const { term, added, removed } of this.#byKey.values())
      terms.push([term.facet, term.value, term.label.toWellFormed(), offsets(added), offsets(removed)]);
    return JSON.stringify({ from, terms } satisfies Stored);
  }

  #of(term: Term) {
    const key = termKey(term);
    let known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, (known = { term, added: new Set(), removed: new Set() }));
    return known;
  }
}

/** What changes add to a block of a term, and remove from it. */
export type BlockChange = { added: Container; removed: Container };
/** `count`: by how many prospects the term grows. */
export type TermChange = { term: Term; count: number; blocks: ReadonlyMap<number, BlockChange> };
/** By `termKey`. */
export type MergedChanges = ReadonlyMap<string, TermChange>;

type MutableBlock = { added: MutableContainer; removed: MutableContainer };
type MutableTerm = { term: Term; count: number; blocks: Map<number, MutableBlock> };

/** Many changes in one, on top of earlier ones, which stay as they are. */
export class ChangeMerge {
  readonly #before: MergedChanges;
  readonly #changed = new Map<string, MutableTerm>();

  constructor(before: MergedChanges = new Map()) {
    this.#before = before;
  }

  /** Takes the text of the next change. Yields between terms. */
  *take(text: string): Generator<void, void, void> {
    const { from, terms } = JSON.parse(text) as Stored;
    yield;
    for (const [facet, value, label, added, removed] of terms) {
      const merged = this.#of({ facet, value, label });
      merged.count += added.length - removed.length;
      for (const offset of removed) this.#change(merged, from + offset, false);
      for (const offset of added) this.#change(merged, from + offset, true);
      yield;
    }
  }

  /** The prospect has these terms. */
  add(number: number, terms: readonly Term[]): void {
    for (const term of terms) {
      const merged = this.#of(term);
      merged.count++;
      this.#change(merged, number, true);
    }
  }

  /** Must not be changed afterwards. */
  finish(): MergedChanges {
    const after = new Map(this.#before);
    for (const [key, { term, count, blocks }] of this.#changed) {
      const frozen = Array.from(
        blocks,
        ([block, { added, removed }]) => [block, { added: added.freeze(), removed: removed.freeze() }] as const,
      );
      after.set(key, { term, count, blocks: new Map([...(this.#before.get(key)?.blocks ?? []), ...frozen]) });
    }
    return after;
  }

  #of(term: Term): MutableTerm {
    const key = termKey(term);
    let merged = this.#changed.get(key);
    if (merged === undefined) {
      merged = { term, count: this.#before.get(key)?.count ?? 0, blocks: new Map() };
      this.#changed.set(key, merged);
    }
    return merged;
  }

  #change({ term, blocks }: MutableTerm, number: number, isAdded: boolean): void {
    const block = number >>> 16;
    let change = blocks.get(block);
    if (change === undefined) {
      const before = this.#before.get(termKey(term))?.blocks.get(block);
      change = { added: new MutableContainer(before?.added), removed: new MutableContainer(before?.removed) };
      blocks.set(block, change);
    }
    const { added, removed } = change;
    const place = number & 0xffff;
    (isAdded ? added : removed).add(place);
    (isAdded ? removed : added).remove(place);
  }
}

/** A set with its changes. */
export function changed(container: Container, change: BlockChange | undefined): Container {
  if (change === undefined) return container;
  const left = countOf(change.removed) === 0 ? container : smallest(andNot(container, change.removed, newRoom()));
  if (countOf(change.added) === 0) return left;
  return countOf(left) === 0 ? change.added : smallest(or([left, change.added], newRoom()));
}
