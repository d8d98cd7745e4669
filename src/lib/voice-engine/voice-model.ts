import type { BaseVoiceName } from "./base-voice-names.ts";
import type { Profile } from "./speaker-profile.ts";

/** Increased when older models are no longer compatible; they are then trained again from the stored excerpts. */
export const voiceModelVersion = 2;

/** The melody of a voice: median of the natural logarithm of the pitch in Hz, and how far two thirds lie around it. */
export type PitchRange = { logMedian: number; logReach: number };

/**
 * How voiced frames of the base voice are turned into the speaker's. Vectors are cepstra of the first `bands` mel bands
 * of the base voice, its resonances moved by `warp`: first `matrix` and `offset`, then the shift of whichever components
 * of the mixture the result belongs to.
 */
export type VoicedTone = {
  bands: number;
  warp: number;
  matrix: number[][];
  offset: number[];
  weights: number[];
  means: number[][];
  variances: number[][];
  shifts: number[][];
};

/**
 * What is added to all frames of a kind alike, as log power, a number a band: the colour of the voice and of its
 * recording. `voiced` begins as `mean`, which is what the map alone adds on average, and is set right by listening to
 * what is spoken.
 */
export type ToneTransform = VoicedTone & { mean: number[]; voiced: number[]; unvoiced: number[] };

/** Everything needed to speak in a voice: a plain value of about 60 KB as JSON, without any recording. */
export type VoiceModel = {
  version: typeof voiceModelVersion;
  base: BaseVoiceName;
  pitch: { from: PitchRange; to: PitchRange };
  tone: ToneTransform;
  profile: Profile;
};

/** True for a stored value that was created by `trainVoice` of this version. */
export function isVoiceModel(value: unknown): value is VoiceModel {
  return typeof value === "object" && value !== null && "version" in value && value.version === voiceModelVersion;
}
