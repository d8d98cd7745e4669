import { ArchiveError } from "./archive-error.ts";

/** Reads exact numbers of bytes from a stream of chunks. Throws `ArchiveError` if the stream ends early. */
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

  /** Yields exactly `length` bytes, in pieces as they arrive. */
  async *pieces(length: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = length; left > 0;) {
      const piece = await this.#nextPiece(left);
      left -= piece.length;
      yield piece;
    }
  }

  /** Returns between one and `most` bytes. */
  async #nextPiece(most: number): Promise<Uint8Array> {
    if (!(await this.hasMore())) throw new ArchiveError("it is truncated");
    const piece = this.#current.subarray(0, most);
    this.#current = this.#current.subarray(piece.length);
    return piece;
  }

  /** Consumes the rest of the stream. */
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
