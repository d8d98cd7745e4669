import { analysisRate, spectrumBins, spectrumSize } from "./analysis-format.ts";
import { fftOf, hann } from "./fft.ts";
import { highestBin, spectrumOfMel } from "./mel.ts";
import { clamp } from "./statistics.ts";

/** One filter every 10 ms. */
export const filterHop = analysisRate / 100;
const windowSize = 400;
const pad = (spectrumSize - windowSize) / 2;
/** Filters change over ±20 ms, without jumps that would be heard as warbling. */
const smoothing = [1, 2, 1] as const;
/** Maximum change of any band, as natural logarithm of power: 25 dB. */
const limit = 25 / 4.343;
/** Above the learned bands, only half of a damping is continued. */
const beyondBand = 0.5;

/**
 * Colors speech frame by frame without resynthesis, so that it stays as clear as before. `gains` contains the requested
 * change of log power in the learned mel bands for each frame; the loudness of each frame stays the same.
 */
export function filterTone(signal: Float32Array, gains: readonly ArrayLike<number>[]): Float32Array {
  const fft = fftOf(spectrumSize);
  const window = hann(windowSize);
  const re = new Float64Array(spectrumSize);
  const im = new Float64Array(spectrumSize);
  const out = new Float32Array(signal.length);
  const weight = new Float32Array(signal.length);
  for (let frame = 0; frame < gains.length; frame++) {
    const factors = amplitudes(gains, frame);
    const start = frame * filterHop - windowSize / 2;
    re.fill(0);
    im.fill(0);
    for (let i = 0; i < windowSize; i++) re[pad + i] = (signal[start + i] ?? 0) * window[i]!;
    const before = power(re);
    fft.forward(re, im);
    for (let k = 0; k < spectrumBins; k++) {
      for (const bin of k === 0 || k === spectrumSize / 2 ? [k] : [k, spectrumSize - k]) {
        re[bin]! *= factors[k]!;
        im[bin]! *= factors[k]!;
      }
    }
    fft.inverse(re, im);
    const gain = Math.min(4, Math.sqrt(before / Math.max(1e-12, power(re))));
    for (let i = 0; i < spectrumSize; i++) {
      const place = start - pad + i;
      if (place >= 0 && place < out.length) out[place]! += re[i]! * gain;
    }
    for (let i = Math.max(0, -start); i < windowSize && start + i < weight.length; i++)
      weight[start + i]! += window[i]!;
  }
  return out.map((value, i) => value / Math.max(0.3, weight[i]!));
}

function amplitudes(gains: readonly ArrayLike<number>[], frame: number): Float64Array {
  const bands = gains[frame]!.length;
  const smooth = new Float64Array(bands);
  let total = 0;
  smoothing.forEach((share, i) => {
    const neighbour = gains[frame + i - 1];
    if (neighbour === undefined) return;
    total += share;
    for (let b = 0; b < bands; b++) smooth[b]! += share * neighbour[b]!;
  });
  const spectrum = new Float64Array(spectrumBins);
  spectrumOfMel(
    smooth.map((value) => value / total),
    bands,
    spectrum,
  );
  const learned = highestBin(bands);
  const beyond = Math.min(0, spectrum[learned]!) * beyondBand;
  return spectrum.map((gain, bin) => Math.exp(0.5 * clamp(bin > learned ? beyond : gain, -limit, limit)));
}

function power(signal: Float64Array): number {
  let sum = 0;
  for (const value of signal) sum += value * value;
  return sum;
}
