import type { BitReader } from "./bit-reader.ts";

/** Bits resolved by one lookup in the first table; longer codewords are rare and take a search. */
const firstBits = 9;

/** A Huffman code: reads one symbol at a time. */
export class PrefixCode {
  readonly #longest: number;
  /** By the next `firstBits` bits: length of the codeword times 65,536 plus symbol; 0: the codeword is longer. */
  readonly #first = new Uint32Array(1 << firstBits);
  /** The codewords in ascending order, filled up with zeros to the longest; their lengths and symbols. */
  readonly #starts: Uint32Array;
  readonly #lengths: Uint8Array;
  readonly #symbols: Uint16Array;

  /**
   * `text` lists the symbols in ascending order of their codewords, with the length of the codewords and a colon
   * wherever it changes: "1: a 2: b c" is 0 for a, 10 for b, 11 for c. This is sufficient, because the code is
   * complete.
   */
  constructor(text: string, radix = 10) {
    const words = parse(text, radix);
    this.#longest = Math.max(...words.map((word) => word.length));
    this.#lengths = Uint8Array.from(words, (word) => word.length);
    this.#symbols = Uint16Array.from(words, (word) => word.symbol);
    this.#starts = new Uint32Array(words.length);
    let start = 0;
    for (const [i, { length, symbol }] of words.entries()) {
      this.#starts[i] = start;
      const width = 2 ** (this.#longest - length);
      if (length <= firstBits) {
        const perEntry = 2 ** (this.#longest - firstBits);
        this.#first.fill(length * 65_536 + symbol, start / perEntry, (start + width) / perEntry);
      }
      start += width;
    }
    if (start !== 2 ** this.#longest) throw new Error("These codewords leave gaps or overlap.");
  }

  read(bits: BitReader): number {
    const entry = this.#first[bits.peek(firstBits)]!;
    if (entry !== 0) {
      bits.position += entry >>> 16;
      return entry & 0xffff;
    }
    const next = bits.peek(this.#longest);
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= next) low = middle;
      else high = middle;
    }
    bits.position += this.#lengths[low]!;
    return this.#symbols[low]!;
  }

  /** The codeword of each symbol, to write it. */
  codewords(): Map<number, { bits: number; length: number }> {
    return new Map(
      Array.from(this.#symbols, (symbol, i) => {
        const length = this.#lengths[i]!;
        return [symbol, { bits: this.#starts[i]! / 2 ** (this.#longest - length), length }];
      }),
    );
  }
}

function parse(text: string, radix: number): { length: number; symbol: number }[] {
  let length = 0;
  return text
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      if (!word.endsWith(":")) return [{ length, symbol: Number.parseInt(word, radix) }];
      length = Number.parseInt(word, 10);
      return [];
    });
}
