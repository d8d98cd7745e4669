/**
 * The DCT of type IV that modified discrete cosine transforms consist of: output i is the sum over k of input k times
 * cos(pi / 4n * (2i + 1)(2k + 1)). It is its own inverse except for the factor 2 / n.
 */
export class Dct4 {
  readonly #half: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  readonly #fft: Fft;

  /** `size`: a power of two, at least 4. */
  constructor(size: number) {
    this.#half = size / 2;
    const angles = Array.from({ length: this.#half }, (_, i) => (-Math.PI * (8 * i + 1)) / (8 * size));
    this.#cosines = Float64Array.from(angles, Math.cos);
    this.#sines = Float64Array.from(angles, Math.sin);
    this.#real = new Float64Array(this.#half);
    this.#imaginary = new Float64Array(this.#half);
    this.#fft = new Fft(this.#half);
  }

  /** Transforms the values of `data` from `at` on, in place. */
  run(data: Float64Array, at = 0): void {
    const half = this.#half;
    const last = at + 2 * half - 1;
    const real = this.#real;
    const imaginary = this.#imaginary;
    for (let i = 0; i < half; i++) {
      const a = data[at + 2 * i]!;
      const b = data[last - 2 * i]!;
      const cosine = this.#cosines[i]!;
      const sine = this.#sines[i]!;
      real[i] = a * cosine - b * sine;
      imaginary[i] = a * sine + b * cosine;
    }
    this.#fft.run(real, imaginary);
    for (let i = 0; i < half; i++) {
      const a = real[i]!;
      const b = imaginary[i]!;
      const cosine = this.#cosines[i]!;
      const sine = this.#sines[i]!;
      data[at + 2 * i] = a * cosine - b * sine;
      data[last - 2 * i] = -(a * sine + b * cosine);
    }
  }
}

/** Fast Fourier transform of complex values, by halves (Cooley and Tukey). */
class Fft {
  readonly #size: number;
  readonly #reversed: Uint16Array;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;

  constructor(size: number) {
    const bits = Math.log2(size);
    this.#size = size;
    this.#reversed = Uint16Array.from({ length: size }, (_, i) => {
      let reversed = 0;
      for (let bit = 0; bit < bits; bit++) reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
      return reversed;
    });
    this.#cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((-2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: size / 2 }, (_, i) => Math.sin((-2 * Math.PI * i) / size));
  }

  run(real: Float64Array, imaginary: Float64Array): void {
    this.#reorder(real);
    this.#reorder(imaginary);
    for (let half = 1; half < this.#size; half *= 2) {
      const stride = this.#size / (2 * half);
      for (let k = 0; k < half; k++) {
        const cosine = this.#cosines[k * stride]!;
        const sine = this.#sines[k * stride]!;
        for (let low = k; low < this.#size; low += 2 * half) {
          const high = low + half;
          const r = real[high]! * cosine - imaginary[high]! * sine;
          const i = real[high]! * sine + imaginary[high]! * cosine;
          real[high] = real[low]! - r;
          imaginary[high] = imaginary[low]! - i;
          real[low]! += r;
          imaginary[low]! += i;
        }
      }
    }
  }

  #reorder(values: Float64Array): void {
    for (let i = 0; i < this.#size; i++) {
      const j = this.#reversed[i]!;
      if (j <= i) continue;
      const value = values[i]!;
      values[i] = values[j]!;
      values[j] = value;
    }
  }
}
