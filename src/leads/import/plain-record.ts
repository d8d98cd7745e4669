const quote = 34;
const carriageReturn = 13;
const start = 16;
/** FNV-1a, 32 bits. */
export const hashBasis = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

/** The hash of a piece of text that goes on with this character. */
export function hashed(hash: number, code: number): number {
  return Math.imul(hash ^ code, hashPrime);
}

/** What `PlainRecord.read` answers instead of a place. */
export const incomplete = -1;
export const irregular = -2;

/**
 * A record of a CSV file as places in its text, with a hash of each cell, so that whoever knows a cell already need not
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
  readonly #newline: string;

  /** Each one character. */
  constructor(delimiter: string, newline: string) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#newline = newline;
  }

  /** Reads the record at `from`; answers where the next begins, `incomplete`, or `irregular`. */
  read(text: string, from: number): number {
    const end = text.indexOf(this.#newline, from);
    if (end === -1) return incomplete;
    const delimiter = this.#delimiter;
    let count = 0;
    for (let at = from; ; at++) {
      if (count === this.starts.length) this.#grow();
      let hash = hashBasis;
      if (at < end && text.charCodeAt(at) === quote) {
        this.starts[count] = ++at;
        let code = 0;
        for (; at < end && (code = text.charCodeAt(at)) !== quote; at++) hash = hashed(hash, code);
        if (at >= end) return irregular;
        this.ends[count] = at++;
        if (at === end - 1 && text.charCodeAt(at) === carriageReturn) at++;
        if (at < end && text.charCodeAt(at) !== delimiter) return irregular;
      } else {
        this.starts[count] = at;
        let code = 0;
        for (; at < end && (code = text.charCodeAt(at)) !== delimiter; at++) {
          if (code === quote) return irregular;
          hash = hashed(hash, code);
        }
        this.ends[count] = at;
      }
      this.hashes[count++] = hash;
      if (at >= end) break;
    }
    this.count = count;
    return end + 1;
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
