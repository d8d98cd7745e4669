import { analysisRate, hopSamples } from "./analysis-format.ts";
import { hann } from "./fft.ts";
import { resample } from "./resampler.ts";

/** Number of formants per frame. */
export const formantCount = 3;
const searched = 4;
const windowSeconds = 0.03;
/** Two poles for each formant, and two for the slope of the spectrum. */
const order = 2 * searched + 2;

/**
 * The lowest resonances of the vocal tract, Hz, at frames of a clear voice: the poles of a linear prediction. `topHz`:
 * where to stop looking, 5000 or, for telephone audio, 4000. Null if fewer than three are found.
 */
export class FormantMeter {
  readonly #signal: Float32Array;
  readonly #rate: number;
  readonly #window: Float64Array;

  constructor(
    signal: Float32Array,
    readonly topHz: number,
  ) {
    this.#rate = 2 * topHz;
    this.#signal = resample(signal, analysisRate, this.#rate);
    this.#window = hann(Math.round(windowSeconds * this.#rate));
  }

  measure(frame: number): number[] | null {
    const length = this.#window.length;
    const start = Math.round((frame * hopSamples * this.#rate) / analysisRate) - (length >> 1);
    if (start < 1 || start + length >= this.#signal.length) return null;
    // Pre-emphasis evens out the slope of the voice source.
    const windowed = this.#window.map(
      (weight, i) => weight * (this.#signal[start + i]! - 0.95 * this.#signal[start + i - 1]!),
    );
    const prediction = linearPrediction(windowed, order);
    if (prediction === null) return null;
    const found = polesOf(prediction)
      .filter(({ im }) => im > 0)
      .map(({ re, im }) => ({
        hz: (Math.atan2(im, re) * this.#rate) / (2 * Math.PI),
        bandwidth: (-Math.log(Math.hypot(re, im)) * this.#rate) / Math.PI,
      }))
      .filter(({ hz, bandwidth }) => hz > 180 && hz < this.topHz - 150 && bandwidth < 500)
      .map(({ hz }) => hz)
      .sort((a, b) => a - b);
    return found.length < formantCount ? null : found.slice(0, formantCount);
  }
}

/** Coefficients 1, a1 … aN of the predictor's polynomial (Levinson-Durbin); null for silence. */
export function linearPrediction(frame: Float64Array, order: number): Float64Array | null {
  const correlation = Float64Array.from({ length: order + 1 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < frame.length; i++) sum += frame[i]! * frame[i - lag]!;
    return sum;
  });
  if (correlation[0]! <= 0) return null;
  correlation[0]! *= 1.00001; // a trace of white noise keeps the recursion stable
  const a = new Float64Array(order + 1);
  a[0] = 1;
  let error = correlation[0]!;
  for (let i = 1; i <= order; i++) {
    let sum = correlation[i]!;
    for (let j = 1; j < i; j++) sum += a[j]! * correlation[i - j]!;
    const reflection = -sum / error;
    const before = a.slice();
    for (let j = 1; j < i; j++) a[j] = before[j]! + reflection * before[i - j]!;
    a[i] = reflection;
    error *= 1 - reflection * reflection;
    if (error <= 0) return null;
  }
  return a;
}

/** Computes all roots of a polynomial with leading coefficient 1 simultaneously (Durand-Kerner). */
export function polesOf(polynomial: Float64Array): { re: number; im: number }[] {
  const degree = polynomial.length - 1;
  const roots = Array.from({ length: degree }, (_, i) => ({
    re: 0.9 * Math.cos(0.4 + (2 * Math.PI * i) / degree),
    im: 0.9 * Math.sin(0.4 + (2 * Math.PI * i) / degree),
  }));
  for (let round = 0, moved = 1; round < 80 && moved > 1e-7; round++) {
    moved = 0;
    for (const root of roots) {
      let [valueRe, valueIm] = [1, 0];
      for (let k = 1; k <= degree; k++)
        [valueRe, valueIm] = [
          valueRe * root.re - valueIm * root.im + polynomial[k]!,
          valueRe * root.im + valueIm * root.re,
        ];
      let [productRe, productIm] = [1, 0];
      for (const other of roots) {
        if (other === root) continue;
        const [re, im] = [root.re - other.re, root.im - other.im];
        [productRe, productIm] = [productRe * re - productIm * im, productRe * im + productIm * re];
      }
      const norm = productRe ** 2 + productIm ** 2 + 1e-30;
      const stepRe = (valueRe * productRe + valueIm * productIm) / norm;
      const stepIm = (valueIm * productRe - valueRe * productIm) / norm;
      root.re -= stepRe;
      root.im -= stepIm;
      moved += Math.abs(stepRe) + Math.abs(stepIm);
    }
  }
  return roots;
}
