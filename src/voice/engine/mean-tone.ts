import { melRow, type SpeechFrames } from "./speech-frames.ts";
import { clamp } from "./statistics.ts";

/** No band is moved by more than 6 dB on the mean of all frames, as natural logarithm of power. */
const mostGain = 6 / 4.343;

/** What, on average over voiced frames, has to be added to the log power of each band to get from one tone to another. */
export function meanToneGains(from: SpeechFrames, to: SpeechFrames, bands: number): number[] {
  const [start, goal] = [meanTone(from, bands), meanTone(to, bands)];
  return Array.from(goal, (value, band) => clamp(value - start[band]!, -mostGain, mostGain));
}

/** The mean log power in each band, at equal loudness. */
function meanTone(frames: SpeechFrames, bands: number): Float64Array {
  const sum = new Float64Array(bands);
  let count = 0;
  for (let row = 0; row < frames.count; row++) {
    if (frames.f0[row] === 0) continue;
    const mel = melRow(frames, row);
    for (let band = 0; band < bands; band++) sum[band]! += mel[band]!;
    count += 1;
  }
  const loudness = sum.reduce((total, value) => total + value, 0) / bands;
  return sum.map((value) => (value - loudness) / Math.max(1, count));
}
