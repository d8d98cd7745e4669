import { analysisRate, hopSamples } from "./analysis-format.ts";

/** The bands in which breath and voice are separated, in Hz. */
export const aperiodicityBands = [
  [0, 1000],
  [1000, 2000],
] as const;
const reach = 64;

/**
 * Measures how much of each band is breath rather than voice: the square root of what two adjacent periods do not
 * share, 0 to 1. One number per frame and band; 1 if unvoiced.
 */
export function aperiodicities(signal: Float32Array, f0: Float32Array): Float32Array[] {
  return aperiodicityBands.map(([low, high]) => {
    const band = bandPass(signal, low, high);
    return f0.map((pitch, frame) => {
      if (pitch === 0) return 1;
      const likeness = periodLikeness(band, frame * hopSamples, analysisRate / pitch);
      return Math.sqrt(Math.max(0, 1 - Math.max(0, likeness)));
    });
  });
}

function periodLikeness(signal: Float32Array, centre: number, period: number): number {
  const width = Math.round(Math.max(2 * period, 160));
  let best = 0;
  for (const lag of [Math.floor(period), Math.ceil(period)]) {
    const start = centre - ((width + lag) >> 1);
    let product = 0;
    let power = 1e-12;
    let laterPower = 1e-12;
    for (let i = Math.max(0, start); i < start + width && i + lag < signal.length; i++) {
      const now = signal[i]!;
      const later = signal[i + lag]!;
      product += now * later;
      power += now * now;
      laterPower += later * later;
    }
    best = Math.max(best, product / Math.sqrt(power * laterPower));
  }
  return best;
}

/** A linear-phase filter (Hamming-windowed sinc) without delay. */
function bandPass(signal: Float32Array, lowHz: number, highHz: number): Float32Array {
  const taps = Float32Array.from({ length: 2 * reach + 1 }, (_, index) => {
    const i = index - reach;
    const lowPass = (hz: number) =>
      i === 0 ? (2 * hz) / analysisRate : Math.sin((2 * Math.PI * hz * i) / analysisRate) / (Math.PI * i);
    return (lowPass(highHz) - lowPass(lowHz)) * (0.54 + 0.46 * Math.cos((Math.PI * i) / reach));
  });
  const padded = new Float32Array(signal.length + 2 * reach);
  padded.set(signal, reach);
  const out = new Float32Array(signal.length);
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let k = 0; k < taps.length; k++) sum += taps[k]! * padded[i + k]!;
    out[i] = sum;
  }
  return out;
}
