/** Keys for which the filter stays exact enough; beyond, lookups simply go to the table again more often. */
const capacity = 4_000_000;
const bits = capacity * 10;

/**
 * A Bloom filter over 53-bit hashes: `has` is false only for keys that were never added, and true by mistake for about
 * one in a hundred others. 5 MB.
 */
export class KeyFilter {
  readonly #words = new Uint32Array(Math.ceil(bits / 32));

  add(key: number): void {
    for (const part of parts) {
      const bit = bitOf(key, part);
      this.#words[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  has(key: number): boolean {
    for (const part of parts) {
      const bit = bitOf(key, part);
      if ((this.#words[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

/** A key has a place by its whole hash, by the high part of it, and by both parts in another way. */
const parts = [0, 1, 2] as const;

function bitOf(key: number, part: (typeof parts)[number]): number {
  if (part === 0) return key % bits;
  const high = Math.floor(key / 2 ** 26);
  return (part === 1 ? high : high * 5 + (key % 2 ** 26) * 3) % bits;
}
