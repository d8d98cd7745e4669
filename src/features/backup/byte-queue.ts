import { ArchiveError } from "./archive-error.ts";

/** Takes bytes in the amounts that are needed out of chunks as they come. Throws `ArchiveError` when they end too soon. */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #current: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  async hasMore(): Promise<boolean> {
    while (this.#current.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      this.#current = value;
    }
    return true;
  }

  /** So many bytes, as they come. */
  async *pieces(length: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = length; left > 0;) {
      const piece = await this.#some(left);
      left -= piece.length;
      yield piece;
    }
  }

  /** From one byte to `most`. */
  async #some(most: number): Promise<Uint8Array> {
    if (!(await this.hasMore())) throw new ArchiveError("it is cut off");
    const piece = this.#current.subarray(0, most);
    this.#current = this.#current.subarray(piece.length);
    return piece;
  }

  /** Takes all that is left. */
  async areZerosLeft(): Promise<boolean> {
    while (await this.hasMore()) {
      if (this.#current.some((byte) => byte !== 0)) return false;
      this.#current = new Uint8Array(0);
    }
    return true;
  }

  async take(length: number): Promise<Uint8Array> {
    const taken = new Uint8Array(length);
    let at = 0;
    for await (const piece of this.pieces(length)) {
      taken.set(piece, at);
      at += piece.length;
    }
    return taken;
  }
}
