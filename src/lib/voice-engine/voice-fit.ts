import type { BaseVoice } from "./base-voices.ts";
import { applyAffine, fitAffine, type AffineMap } from "./cmllr.ts";
import { componentMeans, fitMixture, likelihood, type GaussianMixture } from "./gaussian-mixture.ts";
import { product, times, type Matrix } from "./matrix.ts";
import { melBands, MelCepstrum, warpMel } from "./mel.ts";
import { melRow, type SpeechFrames } from "./speech-frames.ts";
import { clamp, deviation, mean } from "./statistics.ts";
import { ToneMap, toneOrder } from "./tone-map.ts";
import type { VoicedTone } from "./voice-model.ts";

const targetComponents = 32;
const shiftComponents = 48;
/** A minute of voiced frames. More does not improve the fit and takes longer. */
const mostFrames = 6000;
/** Enough to compare warps. */
const warpFrames = 600;
/** From a vocal tract that is a seventh longer to one that is a fifth shorter. */
const warps = [0.86, 0.89, 0.92, 0.95, 0.98, 1, 1.03, 1.06, 1.09, 1.12, 1.15, 1.18];
/** How strongly a component stays where the base voice has it, in frames (MAP adaptation). */
const relevance = 12;
const adaptationRounds = 3;

/** The speaker's side of a fit: voiced frames as cepstra of the first `bands` mel bands, and their density. */
export type Target = { bands: number; vectors: Float64Array[]; mixture: GaussianMixture };

export function describeTarget(frames: SpeechFrames, bands: number, random: () => number): Target {
  const vectors = thinned(voicedCepstra(frames, bands, 1), mostFrames);
  return { bands, vectors, mixture: fitMixture(vectors, { components: targetComponents, rounds: 10, random }) };
}

/**
 * By how much to move the resonances of a base voice before anything else, so that a matrix has less to do: the factor
 * under which its frames are most likely in the speaker's density. Large factors must earn it.
 */
export function findWarp(base: BaseVoice, target: Target): number {
  const centre = columnMeans(target.vectors);
  // Without treble, the resonances say less about the vocal tract.
  const caution = target.bands < melBands ? 62 : 25;
  const scored = warps.map((warp) => {
    const vectors = thinned(voicedCepstra(base.frames, target.bands, warp), warpFrames);
    const own = columnMeans(vectors);
    const centred = vectors.map((vector) => vector.map((value, i) => value - own[i]! + centre[i]!));
    return { warp, score: likelihood(target.mixture, centred) - caution * Math.log(warp) ** 2 };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).warp;
}

/**
 * Stage "fit": how the tone of a base voice becomes the speaker's. Three steps, each of which needs no sentence that
 * both have said: equal means and deviations; the affine map of highest likelihood; a shift for each kind of sound.
 */
export function fitTone(base: BaseVoice, target: Target, warp: number, random: () => number): VoicedTone {
  const vectors = thinned(voicedCepstra(base.frames, target.bands, warp), mostFrames);
  const rough = matchMoments(vectors, target.vectors);
  const fine = fitAffine(
    vectors.map((vector) => applyAffine(rough, vector)),
    target.mixture,
  );
  const affine = composed(fine, rough);
  const moved = vectors.map((vector) => applyAffine(affine, vector));
  const mixture = fitMixture(moved, { components: shiftComponents, rounds: 10, random });
  const shifts = adaptedShifts(mixture, target.vectors);
  return {
    bands: target.bands,
    warp,
    matrix: plainRows(affine.matrix),
    offset: plain(affine.offset),
    weights: plain(mixture.weights),
    means: plainRows(mixture.means),
    variances: plainRows(mixture.variances),
    shifts: plainRows(shifts),
  };
}

/** Returns the average change that a map makes to the voiced frames of the base voice. */
export function meanGains(tone: VoicedTone, base: BaseVoice): number[] {
  const zeros = Array.from({ length: tone.bands }, () => 0);
  const map = new ToneMap({ ...tone, mean: zeros, voiced: zeros, unvoiced: zeros });
  const sum = new Float64Array(tone.bands);
  let count = 0;
  for (let row = 0; row < base.frames.count; row++) {
    if (base.frames.f0[row] === 0) continue;
    map.mapped(melRow(base.frames, row)).forEach((value, band) => (sum[band]! += value));
    count += 1;
  }
  return Array.from(sum, (value) => value / Math.max(1, count));
}

function voicedCepstra(frames: SpeechFrames, bands: number, warp: number): Float64Array[] {
  const cepstrum = new MelCepstrum(bands, toneOrder);
  const warped = new Float32Array(melBands);
  const vectors: Float64Array[] = [];
  for (let row = 0; row < frames.count; row++) {
    if (frames.f0[row] === 0) continue;
    warpMel(melRow(frames, row), warp, warped);
    vectors.push(cepstrum.coefficients(warped));
  }
  return vectors;
}

function matchMoments(from: readonly Float64Array[], to: readonly Float64Array[]): AffineMap {
  const column = (vectors: readonly Float64Array[], i: number) => vectors.map((vector) => vector[i]!);
  const scale = Float64Array.from({ length: toneOrder }, (_, i) =>
    clamp(deviation(column(to, i)) / (deviation(column(from, i)) + 1e-6), 0.67, 1.5),
  );
  const [fromMeans, toMeans] = [columnMeans(from), columnMeans(to)];
  return {
    matrix: Array.from(scale, (value, i) => {
      const row = new Float64Array(toneOrder);
      row[i] = value;
      return row;
    }),
    offset: toMeans.map((value, i) => value - scale[i]! * fromMeans[i]!),
  };
}

function composed(outer: AffineMap, inner: AffineMap): AffineMap {
  return {
    matrix: product(outer.matrix, inner.matrix),
    offset: times(outer.matrix, inner.offset).map((value, i) => value + outer.offset[i]!),
  };
}

/** How far each component of the moved base voice has to go to where the speaker's frames of its kind lie. */
function adaptedShifts(mixture: GaussianMixture, target: readonly Float64Array[]): Matrix {
  let means = mixture.means;
  for (let round = 0; round < adaptationRounds; round++) {
    const heard = componentMeans({ ...mixture, means }, target);
    means = mixture.means.map((own, k) => {
      const trust = heard.counts[k]! / (heard.counts[k]! + relevance);
      return own.map((value, i) => value + trust * (heard.means[k]![i]! - value));
    });
  }
  return means.map((row, k) => row.map((value, i) => value - mixture.means[k]![i]!));
}

function columnMeans(vectors: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: toneOrder }, (_, i) => mean(vectors.map((vector) => vector[i]!)));
}

function thinned<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.floor(items.length / step) }, (_, i) => items[Math.floor(i * step)]!);
}

/** Five digits are more precise than any measurement of speech, and keep the stored model small. */
function plain(values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(5)));
}

function plainRows(rows: readonly ArrayLike<number>[]): number[][] {
  return rows.map(plain);
}
