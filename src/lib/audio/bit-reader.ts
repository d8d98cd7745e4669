/** Number of zero bytes required after the input of a reader, so that it can look ahead without bounds checks. */
export const bitPadding = 8;

/** Copies `bytes` to a padded buffer that a `BitReader` can read. */
export function padded(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes.length + bitPadding);
  copy.set(bytes);
  return copy;
}

/**
 * Reads bits, most significant first. Past the end, it reads zeros and never throws: loops of decoders are limited by
 * the format, and decoders check `isOverrun` at the end.
 */
export class BitReader {
  /** Position of the next bit, counted from the first byte. */
  position: number;
  #bytes: Uint8Array;
  #end: number;

  /** Reads `length` bytes of `bytes`, which must be `padded`. */
  constructor(bytes: Uint8Array, length = bytes.length - bitPadding, start = 0) {
    this.#bytes = bytes;
    this.#end = length * 8;
    this.position = start * 8;
  }

  get remaining(): number {
    return this.#end - this.position;
  }

  get isOverrun(): boolean {
    return this.position > this.#end;
  }

  /** Returns the next `count` bits, 0 to 24, without consuming them. */
  peek(count: number): number {
    const at = this.position >> 3;
    const bytes = this.#bytes;
    if (at + 4 > bytes.length) return 0;
    const word = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    return ((word << (this.position & 7)) >>> 8) >>> (24 - count);
  }

  /** The next `count` bits as an unsigned number, 0 to 24. */
  read(count: number): number {
    const value = this.peek(count);
    this.position += count;
    return value;
  }

  /** The next `count` bits as an unsigned number, 0 to 48. */
  readLong(count: number): number {
    if (count <= 24) return this.read(count);
    const high = this.read(count - 24);
    return high * 16_777_216 + this.read(24);
  }

  /** The next `count` bits, 1 to 48, as a number in two's complement. */
  readSigned(count: number): number {
    const value = this.readLong(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  readBit(): boolean {
    return this.read(1) === 1;
  }

  /** Counts the zeros before the next one bit and consumes both; stops at the end. */
  readUnary(): number {
    let zeros = 0;
    while (this.position < this.#end) {
      const bits = this.peek(24);
      if (bits !== 0) {
        const leading = Math.clz32(bits) - 8;
        this.position += leading + 1;
        return zeros + leading;
      }
      zeros += 24;
      this.position += 24;
    }
    return zeros;
  }

  /** Skips to the next byte boundary. */
  align(): void {
    this.position = (this.position + 7) & ~7;
  }
}
