/** Nearly every key is there once, and needs no list. */
type Unit = { stamp: number; numbers: Map<number, number | number[]> };

/**
 * Keys of what was stored lately. Whoever looks for duplicates asks the index, which answers as of then, and here for
 * what came since. Kept only as long as somebody may ask.
 */
export class RecentKeys {
  #units: Unit[] = [];
  readonly #askers = new Set<{ since: number }>();
  #stamp = 0;

  /** From now on everything is kept, until the answer is called. */
  begin(): () => void {
    const asker = { since: this.#stamp };
    this.#askers.add(asker);
    return () => {
      this.#askers.delete(asker);
      const oldest = Math.min(...[...this.#askers].map(({ since }) => since));
      this.#units = this.#units.filter(({ stamp }) => stamp > oldest);
    };
  }

  /** Inside a write unit, before its first `add`. */
  beginUnit(): void {
    this.#units.push({ stamp: ++this.#stamp, numbers: new Map() });
  }

  add(key: number, number: number): void {
    const numbers = this.#units.at(-1)!.numbers;
    const known = numbers.get(key);
    if (known === undefined) numbers.set(key, number);
    else if (typeof known === "number") numbers.set(key, [known, number]);
    else known.push(number);
  }

  find(key: number): readonly number[] {
    let found: readonly number[] = none;
    for (const { numbers } of this.#units) {
      const more = numbers.get(key);
      if (more !== undefined) found = found.concat(more);
    }
    return found;
  }
}

const none: readonly number[] = [];
