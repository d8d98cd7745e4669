import { keyOf } from "../keys.ts";
import { lower } from "./ascii.ts";

const size = 4096;

/** Builds the text of a key byte by byte, because creating strings takes longer than hashing. */
export class KeyText {
  readonly #bytes = new Uint8Array(size);
  /** Cached views by length, because creating a view takes as long as hashing it. */
  readonly #views: Uint8Array[] = [];
  #length = 0;

  /** `kind`: see `keyOf`. */
  begin(kind: number): this {
    this.#bytes[0] = kind;
    this.#length = 1;
    return this;
  }

  byte(byte: number): this {
    this.#bytes[this.#length++] = byte;
    return this;
  }

  bytes(bytes: Uint8Array): this {
    const to = this.#bytes;
    let length = this.#length;
    for (let at = 0; at < bytes.length; at++) to[length++] = bytes[at]!;
    this.#length = length;
    return this;
  }

  /** Adds an ASCII piece in lowercase. */
  lower(bytes: Uint8Array, start: number, end: number): this {
    const to = this.#bytes;
    let length = this.#length;
    for (let at = start; at < end; at++) to[length++] = lower(bytes[at]!);
    this.#length = length;
    return this;
  }

  key(): number {
    return keyOf((this.#views[this.#length] ??= new Uint8Array(this.#bytes.buffer, 0, this.#length)));
  }
}
