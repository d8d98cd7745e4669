/** So many bits in flat memory, none of them set at first. */
export class Bits {
  readonly count: number;
  readonly #words: Uint32Array;

  constructor(count: number) {
    this.count = count;
    this.#words = new Uint32Array(Math.ceil(count / 32));
  }

  set(bit: number): void {
    this.#words[bit >>> 5]! |= 1 << (bit & 31);
  }

  has(bit: number): boolean {
    return (this.#words[bit >>> 5]! & (1 << (bit & 31))) !== 0;
  }
}
