import { freeMemory } from "../../../../lib/concurrency/garbage.ts";
import type { Term } from "../../../../features/prospecting/facets/terms.ts";
import type { StoredRows } from "./index-messages.ts";
import type { Postings } from "./postings.ts";
import type { RawTerms } from "./stored-batches.ts";

/** A batch: the prospects from `first` on, their rows, and the values of each row. */
type Batch = Pick<StoredRows, "first" | "places"> & { raws: Int32Array; rawCounts: Uint8Array };

/** More would save little work, and take several MB at the same time as a flush. */
const enough = 16_384;

/**
 * Prospects reported by an import that are not in any posting yet. Adding them term by term when they are needed, instead
 * of prospect by prospect, is a fraction of the work.
 */
export class ToldRows {
  #batches: Batch[] = [];
  #raws: RawTerms | null = null;
  #size = 0;

  /** False if it is full, or contains rows whose raw values are numbered differently; these must be added first. */
  add({ first, places, found: { raws, rawCounts } }: StoredRows, of: RawTerms): boolean {
    if (this.#raws !== null && (this.#raws !== of || this.#size >= enough)) return false;
    this.#raws = of;
    this.#size += places.length;
    this.#batches.push({ first, places, raws, rawCounts });
    return true;
  }

  /** Moves all to the postings. */
  moveTo(postings: Postings): void {
    const raws = this.#raws;
    if (raws === null) return;
    const { numbers, ends } = this.#byRaw(raws.size);
    const of = (term: Term) => postings.of(term);
    for (let raw = 0; raw < raws.size; raw++) {
      const start = raw === 0 ? 0 : ends[raw - 1]!;
      const end = ends[raw]!;
      if (start === end) continue;
      for (const term of raws.postings(raw, postings.generation, of)) postings.addAll(term, numbers, start, end);
    }
    freeMemory([numbers, ends]);
    for (const { places, raws: ofRows, rawCounts } of this.#batches) freeMemory([places, ofRows, rawCounts]);
    this.#batches = [];
    this.#raws = null;
    this.#size = 0;
  }

  /** The numbers of the prospects with each raw value, in one sorted list, and where those of each value end. */
  #byRaw(values: number): { numbers: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(values + 1);
    this.#each((raw) => ends[raw + 1]!++);
    for (let raw = 1; raw <= values; raw++) ends[raw]! += ends[raw - 1]!;
    const numbers = new Uint32Array(ends[values]!);
    // Each starts at the end of the previous one; its end has advanced to its own when all are in.
    this.#each((raw, number) => (numbers[ends[raw]!++] = number));
    return { numbers, ends };
  }

  #each(take: (raw: number, number: number) => void): void {
    for (const { first, places, raws, rawCounts } of this.#batches)
      for (let at = 0, row = 0, raw = 0; at < places.length; at++) {
        const place = places[at]!;
        if (place === -1) continue;
        for (; row < place; row++) raw += rawCounts[row]!;
        for (const end = raw + rawCounts[row++]!; raw < end; raw++) take(raws[raw]!, first + at);
      }
  }
}
