import { KeyChains } from "./key-lists.ts";

type Unit = { stamp: number; numbers: KeyChains };

/** Tables that are kept for the next units: a batch is stored while the next is looked for. */
const maxSpare = 3;

/**
 * Keys of what was stored lately. Whoever looks for duplicates asks the index, which answers as of then, and here for
 * what came since. Kept only as long as somebody may ask.
 */
export class RecentKeys {
  #units: Unit[] = [];
  #spare: KeyChains[] = [];
  readonly #askers = new Set<{ since: number }>();
  #stamp = 0;

  /** From now on everything is kept, until the answer is called. */
  begin(): () => void {
    const asker = { since: this.#stamp };
    this.#askers.add(asker);
    return () => {
      this.#askers.delete(asker);
      this.#forget();
    };
  }

  /** Inside a write unit, before its first `add`. */
  beginUnit(): void {
    this.#stamp++;
  }

  add(key: number, number: number): void {
    let unit = this.#units.at(-1);
    // Not before: many units have none.
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

  /** Those with the key, what came first before what came later. */
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
