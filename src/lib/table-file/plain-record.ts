const quote = 34;
const carriageReturn = 13;
const start = 16;
/** FNV-1a, 32 bits. */
export const hashBasis = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

/** Extends a hash by one byte. */
export function hashed(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, hashPrime);
}

/** Returned by `PlainRecord.read` instead of a position. */
export const incomplete = -1;
export const irregular = -2;

/**
 * A CSV record as byte positions with a hash of each cell, so that known cells need not be decoded. Supports nearly all
 * records of nearly all files: a single line, with quotes only around whole cells and none inside. Reports anything
 * else; `CsvRecords` handles those, and reads plain records identically.
 */
export class PlainRecord {
  /** Number of cells. Array elements beyond it belong to earlier, longer records. */
  count = 0;
  starts = new Int32Array(start);
  ends = new Int32Array(start);
  hashes = new Int32Array(start);
  readonly #delimiter: number;
  readonly #newline: number;

  /** Delimiter and quote, each a single ASCII character. */
  constructor(delimiter: string, newline: string) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#newline = newline.charCodeAt(0);
  }

  /**
   * Reads the UTF-8 record at `from`, within text that ends at `to`. Returns the start of the next record,
   * `incomplete`, or `irregular`.
   */
  read(bytes: Uint8Array, from: number, to: number): number {
    const delimiter = this.#delimiter;
    const newline = this.#newline;
    let count = 0;
    for (let at = from; ; at++) {
      if (count === this.starts.length) this.#grow();
      let hash = hashBasis;
      let byte = 0;
      if (at < to && bytes[at] === quote) {
        this.starts[count] = ++at;
        for (; at < to && (byte = bytes[at]!) !== quote; at++) {
          if (byte === newline) return irregular;
          hash = hashed(hash, byte);
        }
        if (at === to) return incomplete;
        this.ends[count] = at++;
        if (at < to - 1 && bytes[at] === carriageReturn && bytes[at + 1] === newline) at++;
        byte = at < to ? bytes[at]! : newline;
        if (byte !== delimiter && byte !== newline) return irregular;
      } else {
        this.starts[count] = at;
        for (; at < to && (byte = bytes[at]!) !== delimiter && byte !== newline; at++) {
          if (byte === quote) return irregular;
          hash = hashed(hash, byte);
        }
        this.ends[count] = at;
      }
      if (at === to) return incomplete;
      this.hashes[count++] = hash;
      if (byte === newline) {
        this.count = count;
        return at + 1;
      }
    }
  }

  #grow(): void {
    const [starts, ends, hashes] = [this.starts, this.ends, this.hashes];
    const length = starts.length * 2;
    this.starts = new Int32Array(length);
    this.ends = new Int32Array(length);
    this.hashes = new Int32Array(length);
    this.starts.set(starts);
    this.ends.set(ends);
    this.hashes.set(hashes);
  }
}
