/**
 * Computes the ETag that S3 gives an object without encryption by a key of the customer (API reference, "Object"): the
 * MD5 of its bytes or, if it was uploaded in parts, the MD5 of the MD5s of its parts and their number.
 */
export class EtagSum {
  readonly #partBytes: number;
  readonly #parts: Uint8Array[] = [];
  #part = new Bun.CryptoHasher("md5");
  #partFilled = 0;

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + this.#partBytes - this.#partFilled);
      this.#part.update(piece);
      this.#partFilled += piece.length;
      at += piece.length;
      if (this.#partFilled === this.#partBytes) this.#endPart();
    }
  }

  /** Of everything that was added. Nothing may be added afterward. */
  etag(): string {
    // Bun uploads in parts as soon as one is full.
    if (this.#parts.length === 0) return this.#part.digest("hex");
    if (this.#partFilled > 0) this.#endPart();
    const sum = new Bun.CryptoHasher("md5").update(Buffer.concat(this.#parts)).digest("hex");
    return `${sum}-${this.#parts.length}`;
  }

  #endPart(): void {
    this.#parts.push(this.#part.digest());
    this.#part = new Bun.CryptoHasher("md5");
    this.#partFilled = 0;
  }
}
