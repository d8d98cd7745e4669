import { fftOf, hann } from "../../src/lib/voice-engine/fft.ts";
import { fitMixture, likelihood, type GaussianMixture } from "../../src/lib/voice-engine/gaussian-mixture.ts";
import { seededRandom } from "../../src/lib/voice-engine/seeded-random.ts";
import { quantile } from "../../src/lib/voice-engine/statistics.ts";

/**
 * Says which speaker a recording sounds like, by other means than those that training makes alike: a mixture a speaker
 * over mel cepstra of plain spectra with their slopes, of frames that an energy threshold chose.
 */
export type Judge = (recording: Float32Array) => number[];

const rate = 16_000;
const hop = 160;
const window = hann(400);
const size = 512;
const bands = 26;
const order = 18;
const [lowestHz, highestHz] = [100, 3700];

/**
 * The log-likelihood of a recording under each of the speakers. `isChannelFree` takes the mean of each coefficient
 * away, and with it the colour of microphone and line (and part of the voice).
 */
export function judgeOf(speakers: readonly Float32Array[], isChannelFree: boolean): Judge {
  const mixtures = speakers.map((recording): GaussianMixture => {
    const vectors = cepstra(recording, isChannelFree);
    const thinned = vectors.filter((_, i) => i % Math.ceil(vectors.length / 6000) === 0);
    return fitMixture(thinned, { components: 32, rounds: 8, random: seededRandom(1) });
  });
  return (recording) => {
    const vectors = cepstra(recording, isChannelFree);
    return mixtures.map((mixture) => likelihood(mixture, vectors));
  };
}

const mel = (hz: number) => 2595 * Math.log10(1 + hz / 700);
const edges = Array.from({ length: bands + 2 }, (_, i) => {
  const place = mel(lowestHz) + ((mel(highestHz) - mel(lowestHz)) * i) / (bands + 1);
  return 700 * (10 ** (place / 2595) - 1);
});
const filters = Array.from({ length: bands }, (_, b) =>
  Array.from({ length: size / 2 }, (_, k) => {
    const hz = (k * rate) / size;
    const [low, centre, high] = [edges[b]!, edges[b + 1]!, edges[b + 2]!];
    return Math.max(0, Math.min((hz - low) / (centre - low), (high - hz) / (high - centre)));
  }),
);

function cepstra(recording: Float32Array, isChannelFree: boolean): Float64Array[] {
  const frames = spoken(recording);
  const vectors: Float64Array[] = [];
  for (let i = 2; i < frames.length - 2; i++) {
    const [before, here, after] = [frames[i - 2], frames[i], frames[i + 2]];
    if (!before || !here || !after) continue;
    vectors.push(Float64Array.from([...here, ...after.map((value, c) => (value - before[c]!) / 2)]));
  }
  if (!isChannelFree) return vectors;
  const centre = vectors[0]!.map((_, c) => vectors.reduce((sum, vector) => sum + vector[c]!, 0) / vectors.length);
  return vectors.map((vector) => vector.map((value, c) => value - centre[c]!));
}

/** Cepstra of each frame, null where nothing is said: far under the loud frames, or near the noise of the room. */
function spoken(recording: Float32Array): (Float64Array | null)[] {
  const count = Math.max(0, Math.floor((recording.length - window.length) / hop));
  const levels = Array.from({ length: count }, (_, frame) => {
    const part = recording.subarray(frame * hop, frame * hop + window.length);
    return 10 * Math.log10(part.reduce((sum, value) => sum + value * value, 0) + 1e-9);
  });
  const threshold = Math.max(quantile(levels, 0.95) - 30, quantile(levels, 0.1) + 12);
  return levels.map((level, frame) => (level < threshold ? null : frameCepstrum(recording, frame * hop)));
}

function frameCepstrum(recording: Float32Array, start: number): Float64Array {
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let i = 0; i < window.length; i++)
    re[i] = (recording[start + i]! - 0.97 * (recording[start + i - 1] ?? 0)) * window[i]!;
  fftOf(size).forward(re, im);
  const logs = filters.map((filter) =>
    Math.log(filter.reduce((sum, weight, k) => (weight > 0 ? sum + weight * (re[k]! ** 2 + im[k]! ** 2) : sum), 1e-9)),
  );
  return Float64Array.from({ length: order }, (_, i) =>
    logs.reduce((sum, value, b) => sum + value * Math.cos((Math.PI * (i + 1) * (b + 0.5)) / bands), 0),
  );
}
