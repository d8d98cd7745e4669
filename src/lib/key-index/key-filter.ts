/** About ten bits for each of three million keys. With more keys, more lookups reach the table. */
const lines = 2 ** 16;
/** A cache line has 64 bytes. */
const wordsOfLine = 16;

/**
 * A Bloom filter over 53-bit hashes: `has` is false only for keys that were never added, and true by mistake for about
 * 1 % of the others. All bits of a key are in one cache line, because waiting for memory three times would take longer
 * than everything else here. 4 MB.
 */
export class KeyFilter {
  readonly #words = new Uint32Array(lines * wordsOfLine);

  add(key: number): void {
    const bits = highPart(key);
    const from = lineOf(key, bits);
    this.#words[from + (bits & 15)]! |= bitOf(bits >>> 4);
    this.#words[from + ((bits >>> 9) & 15)]! |= bitOf(bits >>> 13);
    this.#words[from + ((bits >>> 18) & 15)]! |= bitOf(bits >>> 22);
  }

  has(key: number): boolean {
    const bits = highPart(key);
    const from = lineOf(key, bits);
    const one = this.#words[from + (bits & 15)]! >>> (bits >>> 4);
    const two = this.#words[from + ((bits >>> 9) & 15)]! >>> (bits >>> 13);
    const three = this.#words[from + ((bits >>> 18) & 15)]! >>> (bits >>> 22);
    // Without a branch: taking a rare branch for the first time would trigger a recompilation.
    return (one & two & three & 1) === 1;
  }
}

/** 27 bits: nine, the place of a bit in 512, three times. */
function highPart(key: number): number {
  return (key / 2 ** 26) | 0;
}

/** Where the words of a key's line begin. By both parts of the key, should one of them be less random. */
function lineOf(key: number, bits: number): number {
  return ((key ^ bits) & (lines - 1)) * wordsOfLine;
}

function bitOf(place: number): number {
  return 1 << (place & 31);
}
