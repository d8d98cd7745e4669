import type { ByteSource } from "./byte-source.ts";

const readAhead = 65_536;

/**
 * Reads a source sequentially with read-ahead, so that a decoder can look at the next few bytes without a system call
 * each time.
 */
export class ByteWindow {
  readonly #source: ByteSource;
  readonly #end: number;
  #position: number;
  /** Offset of `#bytes` in the source. */
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  /** The bytes of `source` from `start` up to `end`. */
  constructor(source: ByteSource, start = 0, end = source.size) {
    this.#source = source;
    this.#position = start;
    this.#end = Math.min(end, source.size);
  }

  /** Offset of the next byte in the source. */
  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return Math.max(0, this.#end - this.#position);
  }

  /** Returns the next `length` bytes, fewer at the end, without consuming them. */
  peek(length: number): Uint8Array {
    const wanted = Math.min(length, this.remaining);
    const at = this.#position - this.#start;
    if (at < 0 || at + wanted > this.#bytes.length) return this.#load(wanted);
    return this.#bytes.subarray(at, at + wanted);
  }

  /** Skips `length` bytes, at most to the end. */
  skip(length: number): void {
    this.#position = Math.min(this.#position + length, this.#end);
  }

  #load(wanted: number): Uint8Array {
    this.#start = this.#position;
    this.#bytes = this.#source.read(this.#position, Math.min(Math.max(wanted, readAhead), this.remaining));
    return this.#bytes.subarray(0, wanted);
  }
}
