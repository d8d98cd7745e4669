import { fftOf, hann } from "./fft.ts";

const size = 1024;
/** Anything this far below the mean power of speech is noise or silence. */
const rangeDb = 45;
/** At most a minute of windows; the mean is stable long before. */
const maxWindows = 1400;

/** Returns the highest frequency of speech in Hz; 0 for silence. `speech` contains only speech. */
export function bandwidthOf(speech: Float32Array, sampleRate: number): number {
  const power = new Float64Array(size / 2);
  const fft = fftOf(size);
  const window = hann(size);
  const im = new Float64Array(size);
  for (let start = 0, n = 0; start + size <= speech.length && n < maxWindows; start += size, n++) {
    const re = window.map((weight, i) => weight * speech[start + i]!);
    im.fill(0);
    fft.forward(re, im);
    for (let k = 0; k < power.length; k++) power[k]! += re[k]! ** 2 + im[k]! ** 2;
  }
  const total = power.subarray(3).reduce((sum, value) => sum + value, 0);
  const threshold = (total / power.length) * 10 ** (-rangeDb / 10);
  const highest = power.findLastIndex((value) => value > threshold && value > 0);
  return highest < 1 ? 0 : (highest * sampleRate) / size;
}
