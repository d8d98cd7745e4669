/** A filter that spreads quantisation noise in time as the sound itself is spread. */
export type ShapingFilter = { coefficients: number[]; codes: number[]; bandCount: number };

/** What AAC-LC allows for long windows is 12; speech needs fewer. */
const order = 8;
const resolutionBits = 4;
/** Below this gain of prediction a filter isn't worth its bits (3GPP TS 26.403 section 5.4.4.3 has 1.4). */
const minGain = 1.4;
/** The lowest frequencies are left alone: their harmonics are better coded as they are. */
const lowestFrequency = 600;

/**
 * Checks whether the lines predict each other, as they do if the sound consists of pulses, like a low voice (temporal
 * noise shaping, ISO/IEC 14496-3 section 4.6.9), and replaces them by the prediction error. Returns null if it is not
 * worth it.
 */
export function shapeNoise(
  spectrum: Float64Array,
  bandStarts: Uint16Array,
  maxBand: number,
  sampleRate: number,
): ShapingFilter | null {
  const firstLine = (lowestFrequency * 2048) / sampleRate;
  const firstBand = bandStarts.findIndex((start) => start >= firstLine);
  const start = bandStarts[firstBand]!;
  const end = bandStarts[maxBand]!;
  if (firstBand < 0 || end - start < 4 * order) return null;
  const { reflections, gain } = predictability(spectrum, start, end);
  if (gain < minGain) return null;
  const codes = reflections.map(toCode);
  const coefficients = toPredictor(codes.map(fromCode));
  for (let line = end - 1; line >= start; line--) {
    let value = spectrum[line]!;
    for (let i = 0; i < order && line - 1 - i >= start; i++) value += coefficients[i]! * spectrum[line - 1 - i]!;
    spectrum[line] = value;
  }
  return { coefficients, codes, bandCount: bandStarts.length - 1 - firstBand };
}

/** Reflection coefficients by the Levinson-Durbin recursion, and how much smaller they make the lines. */
function predictability(spectrum: Float64Array, start: number, end: number): { reflections: number[]; gain: number } {
  const correlation = Array.from({ length: order + 1 }, (_, lag) => {
    let sum = 0;
    for (let line = start + lag; line < end; line++) sum += spectrum[line]! * spectrum[line - lag]!;
    // A little smoothing in time keeps the filter stable.
    return sum * Math.exp(-0.5 * (0.04 * lag) ** 2);
  });
  const reflections: number[] = [];
  let predictor: number[] = [];
  let error = correlation[0]!;
  for (let i = 0; i < order; i++) {
    let sum = correlation[i + 1]!;
    for (let j = 0; j < i; j++) sum += predictor[j]! * correlation[i - j]!;
    const k = error > 0 ? -sum / error : 0;
    reflections.push(k);
    predictor = extended(predictor, k);
    error *= 1 - k * k;
  }
  return { reflections, gain: error > 0 ? correlation[0]! / error : 1 };
}

function toPredictor(reflections: number[]): number[] {
  return reflections.reduce<number[]>(extended, []);
}

function extended(predictor: number[], k: number): number[] {
  return [...predictor.map((a, i) => a + k * predictor[predictor.length - 1 - i]!), k];
}

const steps = (value: number) => (2 ** (resolutionBits - 1) + (value >= 0 ? -0.5 : 0.5)) / (Math.PI / 2);

function toCode(reflection: number): number {
  return Math.round(Math.asin(Math.max(-1, Math.min(1, reflection))) * steps(reflection));
}

function fromCode(code: number): number {
  return Math.sin(code / steps(code));
}
