import { KeyChains } from "./key-lists.ts";

type Unit = { stamp: number; numbers: KeyChains };

/** Tables kept for the next units: one batch is stored while the next is looked up. */
const maxSpare = 3;

/**
 * Keys of recently stored records. A search for duplicates gets its answer from the index as of a moment, and from here
 * what was stored since. Records are kept only while a search is running.
 */
export class RecentKeys {
  #units: Unit[] = [];
  #spare: KeyChains[] = [];
  readonly #askers = new Set<{ since: number }>();
  #stamp = 0;

  /** Keeps everything from now on, until the returned function is called. */
  begin(): () => void {
    const asker = { since: this.#stamp };
    this.#askers.add(asker);
    return () => {
      this.#askers.delete(asker);
      this.#forget();
    };
  }

  /** Called inside a write unit, before its first `add`. */
  beginUnit(): void {
    this.#stamp++;
  }

  add(key: number, number: number): void {
    let unit = this.#units.at(-1);
    // Created on demand: many units add nothing.
    if (unit?.stamp !== this.#stamp) {
      unit = { stamp: this.#stamp, numbers: this.#spare.pop() ?? new KeyChains() };
      this.#units.push(unit);
    }
    unit.numbers.add(key, number);
  }

  has(key: number): boolean {
    for (let at = 0; at < this.#units.length; at++) if (this.#units[at]!.numbers.has(key)) return true;
    return false;
  }

  /** Numbers with the key, oldest first. */
  find(key: number): readonly number[] {
    let found: number[] | null = null;
    for (let at = this.#units.length - 1; at >= 0; at--) {
      const { numbers } = this.#units[at]!;
      if (numbers.has(key)) numbers.find(key, (found ??= []), Number.POSITIVE_INFINITY);
    }
    return found?.reverse() ?? none;
  }

  #forget(): void {
    const oldest = Math.min(...[...this.#askers].map(({ since }) => since));
    const { kept = [], dropped = [] } = Object.groupBy(this.#units, ({ stamp }) =>
      stamp > oldest ? "kept" : "dropped",
    );
    this.#units = kept;
    if (this.#askers.size === 0) this.#spare = [];
    for (const { numbers } of dropped) {
      if (this.#spare.length === maxSpare || this.#askers.size === 0) return;
      numbers.clear();
      this.#spare.push(numbers);
    }
  }
}

const none: readonly number[] = [];
