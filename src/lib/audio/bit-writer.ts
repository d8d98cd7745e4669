/** Writes bits, most significant first. */
export class BitWriter {
  #bytes = new Uint8Array(1024);
  /** Bits written so far. */
  length = 0;

  /** The lowest `count` bits of `value`, 0 to 32. */
  write(value: number, count: number): void {
    if (this.length + count > this.#bytes.length * 8) this.#grow();
    for (let left = count; left > 0;) {
      const free = 8 - (this.length & 7);
      const taken = Math.min(free, left);
      const bits = (value >>> (left - taken)) & ((1 << taken) - 1);
      this.#bytes[this.length >> 3]! |= bits << (free - taken);
      this.length += taken;
      left -= taken;
    }
  }

  /** Returns the written bits, padded with zeros to a whole byte. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, Math.ceil(this.length / 8));
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
