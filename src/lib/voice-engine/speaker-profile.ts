import { aperiodicityBands } from "./aperiodicity.ts";
import { formantCount } from "./formants.ts";
import { MelCepstrum, narrowMelBands } from "./mel.ts";
import { melRow, type SpeechFrames } from "./speech-frames.ts";
import { profileSpread } from "./profile-spread.ts";
import { deviation, mean, median } from "./statistics.ts";

const meanCount = 16;
const deviationCount = 10;
/** Only the telephone band, so that profiles of any two recordings are comparable. */
const cepstrum = new MelCepstrum(narrowMelBands, meanCount);
/** Placeholder for a formant that was never clear. */
const unknownFormantHz = 1500;

/** Features that distinguish speakers, measured over some seconds of speech; logarithms are natural, of Hz. */
export type Profile = {
  pitch: { logMean: number; logDeviation: number };
  voicedShare: number;
  formantLogs: number[];
  cepstralMeans: number[];
  cepstralDeviations: number[];
  aperiodicities: number[];
};

/** Returns null if too little of the speech is voiced (less than a third of a second). */
export function profileOf(frames: SpeechFrames): Profile | null {
  const voiced: number[] = [];
  for (let row = 0; row < frames.count; row++) if (frames.f0[row]! > 0) voiced.push(row);
  if (voiced.length < 30) return null;
  const logPitch = voiced.map((row) => Math.log(frames.f0[row]!));
  const cepstra = voiced.map((row) => cepstrum.coefficients(melRow(frames, row)));
  const column = (index: number) => cepstra.map((coefficients) => coefficients[index]!);
  return {
    pitch: { logMean: mean(logPitch), logDeviation: deviation(logPitch) },
    voicedShare: voiced.length / frames.count,
    formantLogs: Array.from({ length: formantCount }, (_, index) => Math.log(medianFormant(frames, index))),
    cepstralMeans: Array.from({ length: meanCount }, (_, index) => mean(column(index))),
    cepstralDeviations: Array.from({ length: deviationCount }, (_, index) => deviation(column(index))),
    aperiodicities: aperiodicityBands.map((_, band) =>
      mean(voiced.map((row) => frames.aperiodicity[row * aperiodicityBands.length + band]!)),
    ),
  };
}

/** The 34 numbers of a profile, in the order of `profileSpread`. */
export function profileVector(profile: Profile): number[] {
  const { pitch, voicedShare, formantLogs, cepstralMeans, cepstralDeviations, aperiodicities } = profile;
  return [
    pitch.logMean,
    pitch.logDeviation,
    voicedShare,
    ...formantLogs,
    ...cepstralMeans,
    ...cepstralDeviations,
    ...aperiodicities,
  ];
}

/**
 * Returns the distance of two profiles, in units of a speaker's variation between recordings (root mean square): the
 * same speaker is near 1, others are mostly beyond 2. A channel (microphone, telephone) counts too: good for hints and
 * for ranking, never as proof of identity.
 */
export function speakerDistance(a: Profile, b: Profile): number {
  const other = profileVector(b);
  const squares = profileVector(a).map((value, i) => ((value - other[i]!) / profileSpread[i]!) ** 2);
  return Math.sqrt(mean(squares));
}

function medianFormant(frames: SpeechFrames, index: number): number {
  const heard: number[] = [];
  for (let row = 0; row < frames.count; row++) {
    const hz = frames.formants[row * formantCount + index]!;
    if (hz > 0) heard.push(hz);
  }
  return heard.length > 20 ? median(heard) : unknownFormantHz;
}
