/** A Butterworth high-pass of second order over a stream: removes rumble and the base of hum below the voice. */
export class HighPass {
  readonly #b0: number;
  readonly #a1: number;
  readonly #a2: number;
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  constructor(cutoffHz: number, sampleRate: number) {
    const w = Math.tan((Math.PI * cutoffHz) / sampleRate);
    const norm = 1 / (1 + Math.SQRT2 * w + w * w);
    this.#b0 = norm;
    this.#a1 = 2 * (w * w - 1) * norm;
    this.#a2 = (1 - Math.SQRT2 * w + w * w) * norm;
  }

  /** Filters in place. */
  run(signal: Float32Array): void {
    for (let i = 0; i < signal.length; i++) {
      const x = signal[i]!;
      const y = this.#b0 * (x - 2 * this.#x1 + this.#x2) - this.#a1 * this.#y1 - this.#a2 * this.#y2;
      this.#x2 = this.#x1;
      this.#x1 = x;
      this.#y2 = this.#y1;
      this.#y1 = y;
      signal[i] = y;
    }
  }
}
