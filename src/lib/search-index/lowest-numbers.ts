/** The lowest of many numbers, each once and in order, in memory that does not grow with how many there are. */
export class LowestNumbers {
  readonly #from: number;
  readonly #most: number;
  readonly #room: Uint32Array;
  #size = 0;
  /** Numbers from here on are no longer needed. */
  #end = Number.POSITIVE_INFINITY;

  /** Of those from `from` on, not more than `most`. */
  constructor(from: number, most: number) {
    this.#from = from;
    this.#most = most;
    this.#room = new Uint32Array(most * 2);
  }

  add(number: number): void {
    if (number < this.#from || number >= this.#end) return;
    if (this.#size === this.#room.length) this.#sort();
    this.#room[this.#size++] = number;
  }

  /** A copy. */
  take(): Uint32Array {
    this.#sort();
    return this.#room.slice(0, this.#size);
  }

  #sort(): void {
    const sorted = this.#room.subarray(0, this.#size).sort();
    let size = 0;
    for (let at = 0; at < sorted.length && size < this.#most; at++)
      if (size === 0 || sorted[at] !== sorted[size - 1]) sorted[size++] = sorted[at]!;
    this.#size = size;
    if (size === this.#most) this.#end = sorted[size - 1]!;
  }
}
