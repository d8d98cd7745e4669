import { analysisRate, hopSamples } from "./analysis-format.ts";
import { fftOf } from "./fft.ts";
import { mean } from "./statistics.ts";

const lowestHz = 60;
const highestHz = 450;
const shortestLag = Math.floor(analysisRate / highestHz);
const longestLag = Math.ceil(analysisRate / lowestHz);
/** 25 ms: one and a half periods of the lowest voice. */
const windowSize = analysisRate / 40;
const segmentSize = windowSize + longestLag;
/** The segment fits, so that lags from 0 up do not wrap round. */
const transformSize = 1024;
const maxCandidates = 6;
/** Correlation is measured every second frame; a voice changes slower than 10 ms. */
const stride = 2;

/** Costs of the path through the candidates, in units of correlation; tuned on recorded digits. */
const cost = { octaveJump: 1, voicingChange: 0.18, longLag: 0.02, unvoiced: 0.12, voicedFrom: 0.45, missedVoice: 1.6 };

type Candidate = { lag: number; strength: number };
/** The peaks of the correlation around one moment, strongest first, and the highest one. */
type Moment = { candidates: Candidate[]; best: number };

/** One value per frame: `f0` in Hz, 0 if unvoiced; `strength` is the correlation of two periods. */
export type PitchTrack = { f0: Float32Array; strength: Float32Array };

/** Tracks the pitch of a voice: the cheapest path (Viterbi) through the peaks of the normalized cross-correlation. */
export function trackPitch(signal: Float32Array): PitchTrack {
  const frames = Math.max(1, Math.floor(signal.length / hopSamples));
  const correlator = new Correlator(signal);
  const moments = Array.from({ length: Math.ceil(frames / stride) }, (_, i) =>
    correlator.measure(i * stride * hopSamples),
  );
  return interpolated(cheapestPath(moments), frames);
}

class Correlator {
  readonly #signal: Float32Array;
  /** Keeps faint noise from correlating. */
  readonly #floor: number;
  readonly #fft = fftOf(transformSize);
  readonly #re = new Float64Array(transformSize);
  readonly #im = new Float64Array(transformSize);
  readonly #energy = new Float64Array(segmentSize + 1);

  constructor(signal: Float32Array) {
    this.#signal = signal;
    const peak = signal.reduce((highest, value) => Math.max(highest, Math.abs(value)), 0);
    this.#floor = ((peak * 0.003) ** 2 * windowSize) ** 2 + 1e-12;
  }

  measure(centre: number): Moment {
    this.#correlate(centre - (segmentSize >> 1));
    const correlation = this.#re;
    const energy = this.#energy;
    const floor = this.#floor;
    const at = (lag: number) =>
      correlation[lag]! / Math.sqrt(energy[windowSize]! * (energy[lag + windowSize]! - energy[lag]!) + floor);
    const candidates: Candidate[] = [];
    let best = 0;
    for (let lag = shortestLag; lag < longestLag; lag++) {
      const here = at(lag);
      if (here <= 0.25) continue;
      const before = at(lag - 1);
      const after = at(lag + 1);
      if (here < before || here <= after) continue;
      const offset = (0.5 * (before - after)) / (before - 2 * here + after); // the top of the parabola
      candidates.push({ lag: lag + offset, strength: here - 0.25 * (before - after) * offset });
      best = Math.max(best, candidates.at(-1)!.strength);
    }
    // Among near equals the shorter lag: every multiple of the period correlates too.
    const rank = ({ lag, strength }: Candidate) => strength - (0.6 * lag) / analysisRate;
    candidates.sort((a, b) => rank(b) - rank(a));
    return { candidates: candidates.slice(0, maxCandidates), best };
  }

  /** Leaves in `#re` the products of the first window with the segment, by lag, and in `#energy` running sums. */
  #correlate(start: number): void {
    const re = this.#re.fill(0);
    const im = this.#im.fill(0);
    const inside = this.#signal.subarray(Math.max(0, start), Math.max(0, start + segmentSize));
    const centre = mean(inside);
    const skipped = Math.max(0, -start);
    for (let i = 0; i < inside.length; i++) re[skipped + i] = inside[i]! - centre;
    for (let i = 0; i < segmentSize; i++) this.#energy[i + 1] = this.#energy[i]! + re[i]! ** 2;
    im.set(re.subarray(0, windowSize));
    this.#fft.forward(re, im);
    // The segment is the real part and the window the imaginary part. Both are real, so symmetry separates them.
    for (let k = 0; k <= transformSize / 2; k++) {
      const j = (transformSize - k) % transformSize;
      const segmentRe = (re[k]! + re[j]!) / 2;
      const segmentIm = (im[k]! - im[j]!) / 2;
      const windowRe = (im[k]! + im[j]!) / 2;
      const windowIm = (re[j]! - re[k]!) / 2;
      re[k] = segmentRe * windowRe + segmentIm * windowIm;
      im[k] = segmentIm * windowRe - segmentRe * windowIm;
      re[j] = re[k]!;
      im[j] = -im[k]!;
    }
    this.#fft.inverse(re, im);
  }
}

/** Returns the chosen candidate at each time, null if unvoiced. */
function cheapestPath(moments: readonly Moment[]): (Candidate | null)[] {
  type Step = { candidate: Candidate | null; total: number; from: Step | null };
  let steps: Step[] = [];
  for (const { candidates, best } of moments) {
    const options: (Candidate | null)[] = [...candidates, null];
    steps = options.map((candidate) => {
      let from: Step | null = null;
      let cheapest = steps.length === 0 ? 0 : Infinity;
      for (const step of steps) {
        const total = step.total + transitionCost(step.candidate, candidate);
        if (total < cheapest) {
          cheapest = total;
          from = step;
        }
      }
      return { candidate, total: cheapest + localCost(candidate, best), from };
    });
  }
  const path: (Candidate | null)[] = [];
  let last: Step | null = steps.reduce((a, b) => (b.total < a.total ? b : a));
  for (; last !== null; last = last.from) path.push(last.candidate);
  return path.reverse();
}

function localCost(candidate: Candidate | null, best: number): number {
  if (candidate === null) return Math.max(0, best - cost.voicedFrom) * cost.missedVoice + cost.unvoiced;
  return 1 - Math.min(1, candidate.strength) + cost.longLag * Math.log2(candidate.lag / shortestLag);
}

function transitionCost(from: Candidate | null, to: Candidate | null): number {
  if (from === null || to === null) return from === to ? 0 : cost.voicingChange;
  return cost.octaveJump * Math.abs(Math.log2(to.lag / from.lag));
}

function interpolated(path: readonly (Candidate | null)[], frames: number): PitchTrack {
  const f0 = new Float32Array(frames);
  const strength = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    const place = frame / stride;
    const share = place - Math.floor(place);
    const before = path[Math.min(path.length - 1, Math.floor(place))] ?? null;
    const after = path[Math.min(path.length - 1, Math.floor(place) + 1)] ?? null;
    strength[frame] = (before?.strength ?? 0) * (1 - share) + (after?.strength ?? 0) * share;
    if (before !== null && after !== null) f0[frame] = analysisRate / (before.lag ** (1 - share) * after.lag ** share);
    else {
      const nearer = share < 0.5 ? before : after;
      f0[frame] = nearer === null ? 0 : analysisRate / nearer.lag;
    }
  }
  return { f0, strength };
}
