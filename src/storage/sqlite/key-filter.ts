import { Bits } from "./bits.ts";

/** Ten for each of three million keys; with more, look-ups simply go to the table again more often. */
const bits = 2 ** 25;

/**
 * A Bloom filter over 53-bit hashes: `has` is false only for keys that were never added, and true by mistake for about
 * one in a hundred others. 4 MB.
 */
export class KeyFilter {
  readonly #bits = new Bits(bits);

  add(key: number): void {
    for (const part of parts) this.#bits.set(bitOf(key, part));
  }

  has(key: number): boolean {
    for (const part of parts) if (!this.#bits.has(bitOf(key, part))) return false;
    return true;
  }
}

/** A key has a place by the low part of it, by the high part, and by both in another way. */
const parts = [0, 1, 2] as const;

function bitOf(key: number, part: (typeof parts)[number]): number {
  if (part === 0) return key & (bits - 1);
  const high = (key / 2 ** 26) | 0;
  return (part === 1 ? high : Math.imul(high, 5) + Math.imul(key & (2 ** 26 - 1), 3)) & (bits - 1);
}
