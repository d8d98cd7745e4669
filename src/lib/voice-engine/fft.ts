/** The fast Fourier transform (radix 2, in place) of one size, a power of two. */
export class Fft {
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #reversed: Uint32Array;

  constructor(readonly size: number) {
    const bits = Math.log2(size);
    if (!Number.isInteger(bits)) throw new Error(`Expected a power of two as size of a transform, got ${size}.`);
    this.#cos = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sin = Float64Array.from({ length: size / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / size));
    this.#reversed = new Uint32Array(size);
    for (let i = 1; i < size; i++) this.#reversed[i] = (this.#reversed[i >> 1]! >> 1) | (i & 1 ? size >> 1 : 0);
  }

  forward(re: Float64Array, im: Float64Array): void {
    this.#transform(re, im, -1);
  }

  /** The inverse, scaled by 1/size. */
  inverse(re: Float64Array, im: Float64Array): void {
    this.#transform(re, im, 1);
    for (let i = 0; i < this.size; i++) {
      re[i]! /= this.size;
      im[i]! /= this.size;
    }
  }

  #transform(re: Float64Array, im: Float64Array, sign: 1 | -1): void {
    const size = this.size;
    const cos = this.#cos;
    const sin = this.#sin;
    const reversed = this.#reversed;
    for (let i = 0; i < size; i++) {
      const j = reversed[i]!;
      if (j <= i) continue;
      const r = re[i]!;
      re[i] = re[j]!;
      re[j] = r;
      const m = im[i]!;
      im[i] = im[j]!;
      im[j] = m;
    }
    for (let span = 2; span <= size; span <<= 1) {
      const half = span >> 1;
      const stride = size / span;
      for (let start = 0; start < size; start += span) {
        for (let k = 0; k < half; k++) {
          const c = cos[k * stride]!;
          const s = sign * sin[k * stride]!;
          const a = start + k;
          const b = a + half;
          const r = re[b]! * c - im[b]! * s;
          const m = re[b]! * s + im[b]! * c;
          re[b] = re[a]! - r;
          im[b] = im[a]! - m;
          re[a]! += r;
          im[a]! += m;
        }
      }
    }
  }
}

const shared = new Map<number, Fft>();

/** The transform of that size; its tables are made once. */
export function fftOf(size: number): Fft {
  let fft = shared.get(size);
  if (fft === undefined) shared.set(size, (fft = new Fft(size)));
  return fft;
}

/** The periodic Hann window. */
export function hann(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length));
}
