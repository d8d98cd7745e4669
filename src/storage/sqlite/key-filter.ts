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
    for (const bit of bitsOf(key)) this.#words[bit >>> 5]! |= 1 << (bit & 31);
  }

  has(key: number): boolean {
    return bitsOf(key).every((bit) => (this.#words[bit >>> 5]! & (1 << (bit & 31))) !== 0);
  }
}

/** Three places, from different parts of the hash. */
function bitsOf(key: number): [number, number, number] {
  const high = Math.floor(key / 2 ** 26);
  return [key % bits, high % bits, (high * 5 + (key % 2 ** 26) * 3) % bits];
}
