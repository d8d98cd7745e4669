import { freeMemory } from "../../../../lib/concurrency/garbage.ts";
import type { Term } from "../../../../features/prospecting/facets/terms.ts";
import type { StoredRows } from "./index-messages.ts";
import type { Postings } from "./postings.ts";
import type { RawTerms } from "./stored-batches.ts";

/** Of a batch: the prospects from `first` on, the rows that they are, and what each row is found by. */
type Batch = Pick<StoredRows, "first" | "places"> & { raws: Int32Array; rawCounts: Uint8Array };

/** More would save little more work, and take a few MB, just when a flush takes its own. */
const enough = 16_384;

/**
 * Prospects that an import has told of, and that no posting has yet. To add them term by term when they are wanted, and
 * not prospect by prospect as they come, is a fraction of the work: the postings of a term are then at hand.
 */
export class ToldRows {
  #batches: Batch[] = [];
  #raws: RawTerms | null = null;
  #size = 0;

  /** False when it has enough, or others whose raw values have other numbers; those are to be moved first. */
  add({ first, places, found: { raws, rawCounts } }: StoredRows, of: RawTerms): boolean {
    if (this.#raws !== null && (this.#raws !== of || this.#size >= enough)) return false;
    this.#raws = of;
    this.#size += places.length;
    this.#batches.push({ first, places, raws, rawCounts });
    return true;
  }

  /** Adds all to the postings and forgets them. */
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

  /** The numbers of the prospects that have each raw value, in order; where those of one end in the list of all. */
  #byRaw(values: number): { numbers: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(values + 1);
    this.#each((raw) => ends[raw + 1]!++);
    for (let raw = 1; raw <= values; raw++) ends[raw]! += ends[raw - 1]!;
    const numbers = new Uint32Array(ends[values]!);
    // Each begins where the one before ends, and has moved to its own end when all are in.
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
