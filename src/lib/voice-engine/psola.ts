import { analysisRate, hopSamples } from "./analysis-format.ts";

/** The center of a period to cut out. Unvoiced segments get marks at a fixed interval. */
type Mark = { at: number; period: number; isVoiced: boolean };

const unvoicedPeriod = analysisRate / 200;

/**
 * Changes the pitch of a voice without its resonances and its pace (TD-PSOLA, after E. Moulines and F. Charpentier,
 * Speech Communication 9, 1990): periods are cut out around the peaks of the voice and laid down closer or wider. `f0`
 * and `wanted` have one value in Hz per frame, 0 if unvoiced. Speech stays clear up to a factor of 1.5.
 */
export function changePitch(signal: Float32Array, f0: Float32Array, wanted: Float32Array): Float32Array {
  const marks = pitchMarks(signal, f0);
  const out = new Float32Array(signal.length);
  const weight = new Float32Array(signal.length);
  let nearest = 0;
  for (let t = marks[0]?.at ?? Infinity; t < signal.length;) {
    while (nearest + 1 < marks.length && Math.abs(marks[nearest + 1]!.at - t) <= Math.abs(marks[nearest]!.at - t))
      nearest += 1;
    const mark = marks[nearest]!;
    const pitch = mark.isVoiced ? valueAt(wanted, mark.at) : 0;
    const period = pitch > 0 ? analysisRate / pitch : mark.period;
    // Much closer periods are cut narrower; otherwise, neighbors would blur each other.
    const reach = Math.round(mark.isVoiced && period < 0.7 * mark.period ? 0.85 * mark.period : mark.period);
    lay(signal, mark.at, Math.round(t), reach, out, weight);
    t += period;
  }
  return out.map((value, i) => value / Math.max(0.6, weight[i]!));
}

function lay(
  signal: Float32Array,
  from: number,
  to: number,
  reach: number,
  out: Float32Array,
  weight: Float32Array,
): void {
  for (let k = Math.max(-reach, -to); k <= reach && to + k < out.length; k++) {
    const w = 0.5 + 0.5 * Math.cos((Math.PI * k) / reach);
    out[to + k]! += (signal[from + k] ?? 0) * w;
    weight[to + k]! += w;
  }
}

function pitchMarks(signal: Float32Array, f0: Float32Array): Mark[] {
  const polarity = polarityOf(signal);
  const marks: Mark[] = [];
  for (let t = 0; t < signal.length;) {
    const pitch = valueAt(f0, t);
    const last = marks.at(-1);
    if (pitch === 0) {
      marks.push({ at: Math.round(t), period: unvoicedPeriod, isVoiced: false });
      t += unvoicedPeriod;
      continue;
    }
    const period = analysisRate / pitch;
    let at =
      last?.isVoiced === true
        ? likestTo(signal, last.at, last.at + period, period)
        : highest(signal, Math.round(t), Math.round(t + period), polarity);
    if (last !== undefined && at <= last.at) at = last.at + Math.max(16, Math.round(period));
    marks.push({ at, period, isVoiced: true });
    t = at + period;
  }
  return marks;
}

/** 1 when the peaks of the voice point up, -1 when the recording is upside down. */
function polarityOf(signal: Float32Array): 1 | -1 {
  let sum = 0;
  for (const value of signal) sum += value ** 3;
  return sum >= 0 ? 1 : -1;
}

function highest(signal: Float32Array, from: number, to: number, polarity: number): number {
  let best = from;
  for (let i = from; i <= to && i < signal.length; i++) if (polarity * signal[i]! > polarity * signal[best]!) best = i;
  return best;
}

/** Where, near `expected`, the signal looks most like around `reference`. */
function likestTo(signal: Float32Array, reference: number, expected: number, period: number): number {
  const width = Math.round(period / 2);
  let best = Math.round(expected);
  let highestSum = -Infinity;
  for (let place = Math.round(expected - period * 0.22); place <= expected + period * 0.22; place++) {
    let sum = 0;
    for (let k = -width; k <= width; k += 2) sum += (signal[reference + k] ?? 0) * (signal[place + k] ?? 0);
    if (sum > highestSum) {
      highestSum = sum;
      best = place;
    }
  }
  return best;
}

function valueAt(track: Float32Array, sample: number): number {
  return track[Math.min(track.length - 1, Math.max(0, Math.round(sample / hopSamples)))] ?? 0;
}
