import { melRow, type SpeechFrames } from "./speech-frames.ts";
import { clamp, median } from "./statistics.ts";

/** No band is moved by more than 20 dB on the mean of all frames, as natural logarithm of power. */
const mostGain = 20 / 4.343;
/** Minimum frames for a reliable mean. */
const leastFrames = 30;

export type FrameKind = "voiced" | "unvoiced";

/** What, on average over frames of a kind, has to be added to the log power of each band to get from one tone to another. */
export function meanToneGains(from: SpeechFrames, to: SpeechFrames, kind: FrameKind, bands: number): number[] {
  const [start, goal] = [meanTone(from, kind, bands), meanTone(to, kind, bands)];
  if (start === null || goal === null) return Array.from({ length: bands }, () => 0);
  return Array.from(goal, (value, band) => clamp(value - start[band]!, -mostGain, mostGain));
}

/** The mean log power in each band, at equal loudness; null when there are too few frames. */
function meanTone(frames: SpeechFrames, kind: FrameKind, bands: number): Float64Array | null {
  const rows: Float32Array[] = [];
  for (let row = 0; row < frames.count; row++)
    if (frames.f0[row]! > 0 === (kind === "voiced")) rows.push(melRow(frames, row).subarray(0, bands));
  const heard = kind === "voiced" ? rows : louderHalf(rows);
  if (heard.length < leastFrames) return null;
  const sum = new Float64Array(bands);
  for (const mel of heard) for (let band = 0; band < bands; band++) sum[band]! += mel[band]!;
  const loudness = sum.reduce((total, value) => total + value, 0) / bands;
  return sum.map((value) => (value - loudness) / heard.length);
}

/** Faint frames without voice are the room, or where a word ends. */
function louderHalf(rows: readonly Float32Array[]): readonly Float32Array[] {
  if (rows.length === 0) return rows;
  const levels = rows.map((mel) => mel.reduce((sum, value) => sum + value, 0));
  const middle = median(levels);
  return rows.filter((_, i) => levels[i]! >= middle);
}
