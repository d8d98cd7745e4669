import { binHz, spectrumBins } from "./analysis-format.ts";

/** Bands on the mel scale that hold the tone colour of one frame. */
export const melBands = 48;
/** Number of them in the telephone band (up to 3.7 kHz). */
export const narrowMelBands = 35;
const lowestHz = 60;
const highestHz = 7600;

const melOf = (hz: number) => 1127 * Math.log(1 + hz / 700);
const melStep = (melOf(highestHz) - melOf(lowestHz)) / (melBands + 1);
const edgeHz = (index: number) => 700 * (Math.exp((melOf(lowestHz) + index * melStep) / 1127) - 1);

type Band = { first: number; weights: Float64Array };

/** Triangles that overlap by half; each has weights that add up to 1, because they average log power. */
const bands: readonly Band[] = Array.from({ length: melBands }, (_, band) => {
  const [low, centre, high] = [edgeHz(band), edgeHz(band + 1), edgeHz(band + 2)];
  const inside: { bin: number; weight: number }[] = [];
  for (let bin = 1; bin < spectrumBins; bin++) {
    const hz = bin * binHz;
    const weight = hz < centre ? (hz - low) / (centre - low) : (high - hz) / (high - centre);
    if (weight > 0) inside.push({ bin, weight });
  }
  const [nearest = Math.round(centre / binHz)] = inside.map(({ bin }) => bin);
  const sum = inside.reduce((total, { weight }) => total + weight, 0) || 1;
  const weights = inside.length > 0 ? inside.map(({ weight }) => weight / sum) : [1];
  return { first: nearest, weights: Float64Array.from(weights) };
});

/** Averages a log power spectrum into mel bands. */
export function melSpectrum(logPower: ArrayLike<number>, out: Float32Array): void {
  for (let b = 0; b < melBands; b++) {
    const { first, weights } = bands[b]!;
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += weights[i]! * logPower[first + i]!;
    out[b] = sum;
  }
}

/** Where each frequency of a spectrum lies among the bands, in bands from the first. */
const placeOfBin = Float64Array.from(
  { length: spectrumBins },
  (_, bin) => (melOf(bin * binHz) - melOf(lowestHz)) / melStep - 1,
);

/** The approximate inverse of `melSpectrum`: interpolates between `bands`, and extends the outermost ones. */
export function spectrumOfMel(mel: ArrayLike<number>, usedBands: number, out: Float64Array): void {
  for (let bin = 0; bin < spectrumBins; bin++) out[bin] = interpolate(mel, usedBands, placeOfBin[bin]!);
}

/** Returns the highest bin of a spectrum that the first `usedBands` cover. */
export function highestBin(usedBands: number): number {
  return placeOfBin.findLastIndex((place) => place <= usedBands - 1);
}

/** Moves all resonances by a factor (1.1: 10 % higher), as a shorter vocal tract would. */
export function warpMel(mel: ArrayLike<number>, factor: number, out: Float32Array): void {
  for (let b = 0; b < melBands; b++) {
    const hz = edgeHz(b + 1) / factor;
    out[b] = interpolate(mel, melBands, (melOf(hz) - melOf(lowestHz)) / melStep - 1);
  }
}

function interpolate(values: ArrayLike<number>, count: number, place: number): number {
  const inside = Math.min(count - 1, Math.max(0, place));
  const below = Math.floor(inside);
  const low = values[below]!;
  return low + (values[Math.min(below + 1, count - 1)]! - low) * (inside - below);
}

/** The cosine transform between the first `usedBands` mel bands and any number of cepstral coefficients. */
export class MelCepstrum {
  readonly #basis: Float64Array;

  /** `order` counts the coefficients after the first, which is loudness. */
  constructor(
    readonly usedBands: number,
    readonly order: number,
  ) {
    this.#basis = Float64Array.from({ length: (order + 1) * usedBands }, (_, index) => {
      const coefficient = Math.floor(index / usedBands);
      const band = index % usedBands;
      const norm = Math.sqrt((coefficient === 0 ? 1 : 2) / usedBands);
      return norm * Math.cos((Math.PI * coefficient * (band + 0.5)) / usedBands);
    });
  }

  /** Coefficients 1 to `order`: tone colour without loudness. */
  coefficients(mel: ArrayLike<number>, out = new Float64Array(this.order)): Float64Array {
    for (let c = 1; c <= this.order; c++) {
      let sum = 0;
      for (let b = 0; b < this.usedBands; b++) sum += this.#basis[c * this.usedBands + b]! * mel[b]!;
      out[c - 1] = sum;
    }
    return out;
  }

  /** Returns the mel bands represented by coefficients 1 to `order`, at loudness 0. */
  mel(coefficients: ArrayLike<number>, out: Float64Array): void {
    out.fill(0);
    for (let c = 1; c <= this.order; c++)
      for (let b = 0; b < this.usedBands; b++) out[b]! += this.#basis[c * this.usedBands + b]! * coefficients[c - 1]!;
  }
}
