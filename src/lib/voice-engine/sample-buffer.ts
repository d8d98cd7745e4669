/** Collects a stream of samples up to `capacity` and drops the rest. */
export class SampleBuffer {
  #samples = new Float32Array(1 << 16);
  #length = 0;

  constructor(readonly capacity: number) {}

  get isFull(): boolean {
    return this.#length >= this.capacity;
  }

  push(block: Float32Array): void {
    const taken = Math.min(block.length, this.capacity - this.#length);
    const needed = this.#length + taken;
    if (needed > this.#samples.length) {
      const grown = new Float32Array(Math.min(this.capacity, Math.max(needed, this.#samples.length * 2)));
      grown.set(this.#samples.subarray(0, this.#length));
      this.#samples = grown;
    }
    this.#samples.set(block.subarray(0, taken), this.#length);
    this.#length = needed;
  }

  /** Returns the collected samples as a view, not a copy. */
  samples(): Float32Array {
    return this.#samples.subarray(0, this.#length);
  }
}
