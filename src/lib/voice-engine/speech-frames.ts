import { hopSamples } from "./analysis-format.ts";
import { aperiodicities, aperiodicityBands } from "./aperiodicity.ts";
import { forEachEnvelope } from "./envelope.ts";
import { FormantMeter, formantCount } from "./formants.ts";
import { melBands, melSpectrum } from "./mel.ts";
import { trackPitch } from "./pitch.ts";
import { detectActivity, detectorHop, type Activity } from "./speech-detector.ts";

/** Every second frame is measured, because neighbors are nearly equal. */
const stride = 2;
export const measuredRate = 100;
/** Anything this much fainter than speech is the end of a word or the room. */
const faintestDb = 25;

/**
 * Stored features of speech, one row per measured frame (10 ms): 216 bytes instead of the 2 KB of an envelope. `mel`
 * rows are log power in `melBands` bands; `f0` is 0 if unvoiced; `formants` are in Hz, 0 if unclear.
 */
export type SpeechFrames = {
  count: number;
  mel: Float32Array;
  f0: Float32Array;
  aperiodicity: Float32Array;
  formants: Float32Array;
};

const rowSizes = {
  mel: melBands,
  f0: 1,
  aperiodicity: aperiodicityBands.length,
  formants: formantCount,
} as const;
type Column = keyof typeof rowSizes;
const columns = Object.keys(rowSizes) as Column[];

/** Measures the frames of speech of a signal at 16 kHz. `isNarrow`: telephone audio, whose third formant lies lower. */
export function measureSpeech(signal: Float32Array, isNarrow = false, activity = detectActivity(signal)): SpeechFrames {
  const pitch = trackPitch(signal);
  const breath = aperiodicities(signal, pitch.f0);
  const kept = speechPlaces(activity, pitch.f0.length);
  const frames = emptyFrames(kept.length);
  const places = kept.map((frame) => ({ centre: frame * hopSamples, f0: pitch.f0[frame]! }));
  const formantMeter = new FormantMeter(signal, isNarrow ? 4000 : 5000);
  forEachEnvelope(signal, places, (row, envelope) => {
    const frame = kept[row]!;
    melSpectrum(envelope, frames.mel.subarray(row * melBands, (row + 1) * melBands));
    frames.f0[row] = pitch.f0[frame]!;
    breath.forEach((band, b) => (frames.aperiodicity[row * breath.length + b] = band[frame]!));
    if (isClearVoice(pitch, frame)) frames.formants.set(formantMeter.measure(frame) ?? [], row * formantCount);
  });
  return frames;
}

export function joinFrames(parts: readonly SpeechFrames[]): SpeechFrames {
  const joined = emptyFrames(parts.reduce((sum, { count }) => sum + count, 0));
  let row = 0;
  for (const part of parts) {
    for (const column of columns) joined[column].set(part[column], row * rowSizes[column]);
    row += part.count;
  }
  return joined;
}

/** The rows from `start` up to `end`; shares memory. */
export function sliceFrames(frames: SpeechFrames, start: number, end: number): SpeechFrames {
  const cut = (column: Column) => frames[column].subarray(start * rowSizes[column], end * rowSizes[column]);
  return {
    count: end - start,
    mel: cut("mel"),
    f0: cut("f0"),
    aperiodicity: cut("aperiodicity"),
    formants: cut("formants"),
  };
}

export function melRow(frames: SpeechFrames, row: number): Float32Array {
  return frames.mel.subarray(row * melBands, (row + 1) * melBands);
}

function emptyFrames(count: number): SpeechFrames {
  const column = (name: Column) => new Float32Array(count * rowSizes[name]);
  return {
    count,
    mel: column("mel"),
    f0: column("f0"),
    aperiodicity: column("aperiodicity"),
    formants: column("formants"),
  };
}

function speechPlaces({ spans, levelDb, speechDb }: Activity, frames: number): number[] {
  const places: number[] = [];
  for (const { start, end } of spans) {
    const first = Math.ceil((start * detectorHop) / hopSamples / stride) * stride;
    const last = Math.min(frames, (end * detectorHop) / hopSamples);
    for (let frame = first; frame < last; frame += stride)
      if (levelDb[Math.floor((frame * hopSamples) / detectorHop)]! > speechDb - faintestDb) places.push(frame);
  }
  return places;
}

/** Formants are measured for steady voice only, and for every second measured frame, because they cost the most. */
function isClearVoice({ f0, strength }: { f0: Float32Array; strength: Float32Array }, frame: number): boolean {
  const isSteady = (f0[frame - 2] ?? 0) > 0 && f0[frame]! > 0 && (f0[frame + 2] ?? 0) > 0;
  return isSteady && strength[frame]! >= 0.75 && frame % (2 * stride) === 0;
}
