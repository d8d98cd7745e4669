import { analysisRate, binHz, spectrumBins, spectrumSize } from "./analysis-format.ts";
import { fftOf } from "./fft.ts";

/** Where to measure an envelope: a sample, and the pitch there (0 = unvoiced). */
export type EnvelopePlace = { centre: number; f0: number };

/** Without a pitch the window is as short as for a voice of this pitch, to follow bursts. */
const unvoicedF0 = 500;
/** Three periods must fit into the transform. */
const lowestF0 = (3 * analysisRate) / (spectrumSize - 3);

/**
 * The spectral envelope of a voice without its harmonics, as log power from 0 to 8 kHz: pitch-synchronous window,
 * smoothing over two thirds of the pitch, liftering. After M. Morise, "CheapTrick, a spectral envelope estimator for
 * high-quality speech synthesis", Speech Communication 67 (2015). `visit` must not keep the array.
 */
export function forEachEnvelope(
  signal: Float32Array,
  places: readonly EnvelopePlace[],
  visit: (index: number, logPower: Float64Array) => void,
): void {
  const pair = new EnvelopePair(signal);
  for (let i = 0; i < places.length; i += 2) {
    const [first, second] = pair.measure(places[i]!, places[i + 1] ?? places[i]!);
    visit(i, first);
    if (i + 1 < places.length) visit(i + 1, second);
  }
}

/** Two frames at a time share each transform, one as its real, one as its imaginary part. */
class EnvelopePair {
  readonly #signal: Float32Array;
  readonly #fft = fftOf(spectrumSize);
  readonly #re = new Float64Array(spectrumSize);
  readonly #im = new Float64Array(spectrumSize);
  readonly #first = new Float64Array(spectrumBins);
  readonly #second = new Float64Array(spectrumBins);
  readonly #sums = new Float64Array(spectrumBins + 1);

  constructor(signal: Float32Array) {
    this.#signal = signal;
  }

  measure(a: EnvelopePlace, b: EnvelopePlace): [Float64Array, Float64Array] {
    const f0s = [a, b].map(({ f0 }) => (f0 > 0 ? Math.max(f0, lowestF0) : unvoicedF0)) as [number, number];
    this.#window(a.centre, f0s[0], this.#re);
    this.#window(b.centre, f0s[1], this.#im);
    this.#fft.forward(this.#re, this.#im);
    this.#powers();
    this.#smooth(this.#first, f0s[0]);
    this.#smooth(this.#second, f0s[1]);
    this.#lifter(f0s);
    return [this.#first, this.#second];
  }

  /** Three periods around the centre, of unit energy, without a mean. */
  #window(centre: number, f0: number, out: Float64Array): void {
    const half = Math.round((1.5 * analysisRate) / f0);
    const shape = (i: number) => 0.5 + 0.5 * Math.cos((Math.PI * i * f0) / (1.5 * analysisRate));
    let energy = 0;
    let weight = 0;
    let sum = 0;
    out.fill(0);
    for (let i = -half; i <= half; i++) {
      const w = shape(i);
      const value = this.#signal[centre + i] ?? 0;
      out[i + half] = w;
      energy += w * w;
      weight += w;
      sum += value * w;
    }
    const mean = sum / weight;
    const gain = 1 / Math.sqrt(energy);
    for (let i = -half; i <= half; i++) out[i + half]! *= ((this.#signal[centre + i] ?? 0) - mean) * gain;
  }

  #powers(): void {
    const re = this.#re;
    const im = this.#im;
    for (let k = 0; k < spectrumBins; k++) {
      const j = (spectrumSize - k) % spectrumSize;
      this.#first[k] = ((re[k]! + re[j]!) ** 2 + (im[k]! - im[j]!) ** 2) / 4;
      this.#second[k] = ((im[k]! + im[j]!) ** 2 + (re[k]! - re[j]!) ** 2) / 4;
    }
  }

  /** Power to log power: fills the gap below the first harmonic, then averages over two thirds of the pitch. */
  #smooth(power: Float64Array, f0: number): void {
    const mirrored = Math.floor(f0 / binHz);
    const below = Float64Array.from({ length: mirrored + 1 }, (_, k) => {
      const place = f0 / binHz - k;
      const bin = Math.floor(place);
      return power[bin]! * (1 - place + bin) + power[bin + 1]! * (place - bin);
    });
    for (let k = 0; k <= mirrored; k++) power[k]! += below[k]!;
    const sums = this.#sums;
    for (let k = 0; k < spectrumBins; k++) sums[k + 1] = sums[k]! + power[k]!;
    const last = spectrumBins - 1;
    // The power below a bin, mirrored at 0 Hz and at Nyquist; sums[k] reaches up to half a bin below k.
    const sumBelow = (bin: number): number => {
      if (bin < 0) return power[0]! - sumBelow(-bin);
      if (bin > last) return 2 * sumBelow(last) - sumBelow(2 * last - bin);
      const place = bin + 0.5;
      const whole = Math.floor(place);
      return sums[whole]! + power[Math.min(whole, last)]! * (place - whole);
    };
    const reach = f0 / 3 / binHz;
    const smoothed = Float64Array.from(power, (_, k) =>
      Math.log(Math.max(1e-12, (sumBelow(k + reach) - sumBelow(k - reach)) / (2 * reach))),
    );
    power.set(smoothed);
  }

  /** Removes the ripple of the harmonics from both log spectra and undoes the blur of the smoothing. */
  #lifter([f0A, f0B]: [number, number]): void {
    const re = this.#re;
    const im = this.#im;
    for (let k = 0; k < spectrumSize; k++) {
      const bin = k < spectrumBins ? k : spectrumSize - k;
      re[k] = this.#first[bin]!;
      im[k] = this.#second[bin]!;
    }
    this.#fft.inverse(re, im);
    for (let i = 0; i < spectrumSize; i++) {
      const seconds = Math.min(i, spectrumSize - i) / analysisRate;
      re[i]! *= lifterAt(f0A * seconds);
      im[i]! *= lifterAt(f0B * seconds);
    }
    this.#fft.forward(re, im);
    this.#first.set(re.subarray(0, spectrumBins));
    this.#second.set(im.subarray(0, spectrumBins));
  }
}

/** `periods` is the quefrency in pitch periods; the constant -0.15 is the one of the paper. */
function lifterAt(periods: number): number {
  const angle = Math.PI * periods;
  const smoothing = angle === 0 ? 1 : Math.sin(angle) / angle;
  return smoothing * (1.3 - 0.3 * Math.cos(2 * angle));
}
