const quote = 34;
const carriageReturn = 13;
const start = 16;
/** FNV-1a, 32 bits. */
export const hashBasis = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

/** The hash of a piece that goes on with this byte. */
export function hashed(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, hashPrime);
}

/** What `PlainRecord.read` answers instead of a place. */
export const incomplete = -1;
export const irregular = -2;

/**
 * A record of a CSV file as places in its bytes, with a hash of each cell, so that whoever knows a cell already need not
 * make a text of it. It reads what nearly all records of nearly all files are: one line, its quotes around whole cells
 * without a quote inside. Of anything else it says so; that is for `CsvRecords`, which reads these the same.
 */
export class PlainRecord {
  /** Cells; what lies behind so many in the lists is of longer records. */
  count = 0;
  starts = new Int32Array(start);
  ends = new Int32Array(start);
  hashes = new Int32Array(start);
  readonly #delimiter: number;
  readonly #newline: number;

  /** Each one ASCII character. */
  constructor(delimiter: string, newline: string) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#newline = newline.charCodeAt(0);
  }

  /** Reads the record at `from` in UTF-8 that ends at `to`; answers where the next begins, `incomplete`, or `irregular`. */
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
