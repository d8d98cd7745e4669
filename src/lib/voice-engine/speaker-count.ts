import { profileOf, speakerDistance, type Profile } from "./speaker-profile.ts";
import { measuredRate, sliceFrames, type SpeechFrames } from "./speech-frames.ts";
import { mean } from "./statistics.ts";

/** Long enough that what is said matters less than who says it. */
const windowRows = 3 * measuredRate;
/** Two voices are distinguished if their centers are this many spreads apart … */
const leastDistance = 1.8;
/** … and this many times as far as windows are from their own center. */
const leastContrast = 1.75;
/** Less than 6 s or a seventh of the speech may be laughter or a quotation. */
const leastWindows = 2;
const leastShare = 0.15;

/**
 * How windows of 3 s of one speaker vary: pitch (logarithm), then 16 cepstral means. Of 24 dev speakers alone 1 counts
 * as two; of 276 pairs three quarters do, pairs of like voices being what is missed.
 */
const windowSpread = [
  0.0678, 1.72, 1.84, 1.17, 0.926, 0.653, 0.533, 0.545, 0.442, 0.357, 0.338, 0.295, 0.242, 0.23, 0.191, 0.171, 0.149,
];

/** Counts the voices in a recording: its windows are split in two as long as the halves differ clearly. */
export function countSpeakers(frames: SpeechFrames): number {
  const windows: number[][] = [];
  for (let row = 0; row + windowRows <= frames.count; row += windowRows) {
    const profile = profileOf(sliceFrames(frames, row, row + windowRows));
    if (profile !== null)
      windows.push([profile.pitch.logMean, ...profile.cepstralMeans].map((value, i) => value / windowSpread[i]!));
  }
  return countVoices(windows);
}

/** Samples of the same person stay below both; learned from 12 s samples of the same speakers, 99 of 100 pairs. */
const otherSpeaker = { distance: 2.8, semitones: 5 };

/** Counts the voices in several recordings: voices close to each other (or to a common third) count as one. */
export function countVoicesAmong(profiles: readonly Profile[]): number {
  const group = profiles.map((_, index) => index);
  profiles.forEach((a, i) =>
    profiles.slice(0, i).forEach((b, j) => {
      const [from, to] = [group[i]!, group[j]!];
      if (isSameVoice(a, b)) group.forEach((own, k) => (group[k] = own === from ? to : own));
    }),
  );
  return new Set(group).size;
}

function isSameVoice(a: Profile, b: Profile): boolean {
  const semitones = (Math.abs(a.pitch.logMean - b.pitch.logMean) * 12) / Math.LN2;
  return speakerDistance(a, b) < otherSpeaker.distance && semitones < otherSpeaker.semitones;
}

function countVoices(windows: readonly number[][]): number {
  const halves = windows.length < 2 * leastWindows ? null : clearHalves(windows);
  return halves === null ? Math.min(1, windows.length) : countVoices(halves[0]) + countVoices(halves[1]);
}

/** Returns the best split into two groups of sufficient size; null if it is not clear enough. */
function clearHalves(windows: readonly number[][]): [number[][], number[][]] | null {
  let best: { halves: [number[][], number[][]]; spread: number } | null = null;
  for (let i = 0; i < windows.length; i++) {
    for (let j = 0; j < i; j++) {
      const halves = parted(windows, windows[i]!, windows[j]!);
      if (Math.min(halves[0].length, halves[1].length) < Math.max(leastWindows, leastShare * windows.length)) continue;
      const spread = Math.sqrt(
        mean(halves.flatMap((half) => half.map((window) => distance(window, centre(half)) ** 2))),
      );
      if (best === null || spread < best.spread) best = { halves, spread };
    }
  }
  if (best === null) return null;
  const apart = distance(centre(best.halves[0]), centre(best.halves[1]));
  const isClear = apart >= leastDistance && apart >= leastContrast * Math.max(0.5, best.spread);
  return isClear ? best.halves : null;
}

/** k-means from two seeds. */
function parted(windows: readonly number[][], seedA: number[], seedB: number[]): [number[][], number[][]] {
  let [a, b] = [seedA, seedB];
  let halves: [number[][], number[][]] = [[], []];
  for (let round = 0; round < 6; round++) {
    halves = [[], []];
    for (const window of windows) halves[distance(window, a) <= distance(window, b) ? 0 : 1].push(window);
    if (halves[0].length === 0 || halves[1].length === 0) return halves;
    [a, b] = [centre(halves[0]), centre(halves[1])];
  }
  return halves;
}

function centre(windows: readonly number[][]): number[] {
  return windows[0]!.map((_, i) => mean(windows.map((window) => window[i]!)));
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.sqrt(mean(a.map((value, i) => (value - b[i]!) ** 2)));
}
