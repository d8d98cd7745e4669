import { fftOf, hann } from "./fft.ts";
import { analysisRate } from "./analysis-format.ts";
import { quantile } from "./statistics.ts";

/** One decision every 10 ms. */
export const detectorHop = analysisRate / 100;
const windowSize = 512;
/** The band where voices have most of their power, even over a telephone. */
const bandHz = [150, 3800] as const;
/** Below this, a frame contains only digital silence from an editor. */
const digitalSilenceDb = -85;

/** Half-open, in frames of `detectorHop`. */
export type Span = { start: number; end: number };

/**
 * Detected speech segments. `levelDb` is the level of each frame in the speech band, `noiseDb` the level between
 * speech, and `speechDb` the level of speech.
 */
export type Activity = { spans: Span[]; levelDb: Float32Array; noiseDb: number; speechDb: number };

/**
 * Stage "find speech": a frame is speech if it exceeds the noise around it and is not flat like noise. Separates speech
 * from pauses and steady noise as well as a neural detector, but not from music: see `silero.ts`. `signal` is at 16
 * kHz.
 */
export function detectActivity(signal: Float32Array): Activity {
  const { levelDb, flatness } = measureFrames(signal);
  const sounding = levelDb.filter((level) => level > digitalSilenceDb);
  const loudest = sounding.length > 0 ? quantile(sounding, 0.95) : digitalSilenceDb;
  const isActive = standsOut(levelDb, flatness, loudest);
  if (sounding.length > 0 && loudest - quantile(sounding, 0.1) < 6)
    // Constant level: nothing exceeds it, so only frames with a clear tone count.
    levelDb.forEach((level, frame) => (isActive[frame] = level > -50 && flatness[frame]! < 0.15 ? 1 : 0));
  fillShort(isActive, 0, 15); // pauses inside words
  fillShort(isActive, 1, 6); // clicks
  const spans = runsOf(isActive, 1).map(({ start, end }) => ({
    start: Math.max(0, start - 3), // soft beginnings and ends of words
    end: Math.min(isActive.length, end + 3),
  }));
  return { spans, levelDb, ...levelsOf(levelDb, isActive) };
}

export function secondsOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0) / 100;
}

type Sums = { power: number; log: number };

function measureFrames(signal: Float32Array): { levelDb: Float32Array; flatness: Float32Array } {
  const frames = Math.max(0, Math.floor((signal.length - windowSize) / detectorHop) + 1);
  const levelDb = new Float32Array(frames);
  const flatness = new Float32Array(frames);
  const [low, high] = bandHz.map((hz) => Math.round((hz * windowSize) / analysisRate)) as [number, number];
  const bins = high - low + 1;
  const fft = fftOf(windowSize);
  const window = hann(windowSize);
  const re = new Float64Array(windowSize);
  const im = new Float64Array(windowSize);
  // Two frames in one transform: one as the real, one as the imaginary part.
  for (let frame = 0; frame < frames; frame += 2) {
    const start = frame * detectorHop;
    for (let i = 0; i < windowSize; i++) {
      re[i] = signal[start + i]! * window[i]!;
      im[i] = (signal[start + detectorHop + i] ?? 0) * window[i]!;
    }
    fft.forward(re, im);
    const sums: [Sums, Sums] = [
      { power: 0, log: 0 },
      { power: 0, log: 0 },
    ];
    for (let k = low; k <= high; k++) {
      const j = windowSize - k;
      const powers = [
        ((re[k]! + re[j]!) ** 2 + (im[k]! - im[j]!) ** 2) / 4 + 1e-9,
        ((im[k]! + im[j]!) ** 2 + (re[k]! - re[j]!) ** 2) / 4 + 1e-9,
      ] as const;
      for (const which of [0, 1] as const) {
        sums[which].power += powers[which];
        sums[which].log += Math.log(powers[which]);
      }
    }
    for (const which of [0, 1] as const) {
      const { power, log } = sums[which];
      levelDb[frame + which] = 10 * Math.log10(power / ((windowSize * windowSize) / 16) + 1e-10);
      flatness[frame + which] = Math.exp(log / bins) / (power / bins);
    }
  }
  return { levelDb, flatness };
}

/** The threshold lies 4.5 to 12 dB over the noise floor of the seconds around the frame. */
function standsOut(levelDb: Float32Array, flatness: Float32Array, loudest: number): Uint8Array {
  const floor = noiseFloor(levelDb);
  return Uint8Array.from(levelDb, (level, frame) => {
    const above = Math.max(4.5, Math.min(12, (loudest - floor[frame]!) * 0.35));
    const isLoud = level > floor[frame]! + above && level > loudest - 40 && level > -65;
    return isLoud && flatness[frame]! < 0.55 ? 1 : 0;
  });
}

/** The 10th percentile of 6 s around each second, interpolated between the seconds. */
function noiseFloor(levelDb: Float32Array): Float32Array {
  const step = 100;
  const reach = 300;
  const lowest = (levels: Float32Array) => {
    const sounding = levels.filter((level) => level > digitalSilenceDb);
    return sounding.length > 20 ? quantile(sounding, 0.1) : null;
  };
  const overall = lowest(levelDb) ?? -80;
  const points: number[] = [];
  for (let centre = 0; centre < levelDb.length; centre += step)
    points.push(lowest(levelDb.subarray(Math.max(0, centre - reach), centre + reach)) ?? overall);
  return levelDb.map((_, frame) => {
    const place = frame / step;
    const before = points[Math.floor(place)]!;
    const after = points[Math.min(points.length - 1, Math.floor(place) + 1)]!;
    return before + (after - before) * (place - Math.floor(place));
  });
}

function levelsOf(levelDb: Float32Array, isActive: Uint8Array): { noiseDb: number; speechDb: number } {
  const speech = levelDb.filter((_, frame) => isActive[frame] === 1);
  const pauses = levelDb.filter((level, frame) => isActive[frame] === 0 && level > digitalSilenceDb);
  const speechDb = speech.length > 0 ? quantile(speech, 0.6) : -99;
  if (pauses.length > 10) return { speechDb, noiseDb: quantile(pauses, 0.4) };
  if (speech.length === 0) return { speechDb, noiseDb: speechDb };
  // Pauses of digital silence are uninformative; without pauses, only the quietest moments of speech remain.
  return { speechDb, noiseDb: pauses.length + speech.length < levelDb.length ? -90 : quantile(speech, 0.02) };
}

function fillShort(marks: Uint8Array, value: 0 | 1, longest: number): void {
  for (const { start, end } of runsOf(marks, value)) {
    const isInside = start > 0 && end < marks.length;
    if (end - start <= longest && (value === 1 || isInside)) marks.fill(1 - value, start, end);
  }
}

function runsOf(marks: Uint8Array, value: 0 | 1): Span[] {
  const runs: Span[] = [];
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] !== value) continue;
    const start = i;
    while (i < marks.length && marks[i] === value) i++;
    runs.push({ start, end: i });
  }
  return runs;
}
