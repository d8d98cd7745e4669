import type { ByteSource } from "./byte-source.ts";

const readAhead = 65_536;

/**
 * A source read from front to back, some bytes ahead, so that a decoder may look at the next few bytes often without
 * a system call each.
 */
export class ByteWindow {
  readonly #source: ByteSource;
  readonly #end: number;
  #position: number;
  /** Where `#bytes` begin in the source. */
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  /** The bytes of `source` from `start` up to `end`. */
  constructor(source: ByteSource, start = 0, end = source.size) {
    this.#source = source;
    this.#position = start;
    this.#end = Math.min(end, source.size);
  }

  /** Where in the source the next byte is. */
  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return Math.max(0, this.#end - this.#position);
  }

  /** The next `length` bytes, fewer at the end, without going on. */
  peek(length: number): Uint8Array {
    const wanted = Math.min(length, this.remaining);
    const at = this.#position - this.#start;
    if (at < 0 || at + wanted > this.#bytes.length) return this.#load(wanted);
    return this.#bytes.subarray(at, at + wanted);
  }

  /** Goes on by `length` bytes; past the end is the end. */
  skip(length: number): void {
    this.#position = Math.min(this.#position + length, this.#end);
  }

  #load(wanted: number): Uint8Array {
    this.#start = this.#position;
    this.#bytes = this.#source.read(this.#position, Math.min(Math.max(wanted, readAhead), this.remaining));
    return this.#bytes.subarray(0, wanted);
  }
}
