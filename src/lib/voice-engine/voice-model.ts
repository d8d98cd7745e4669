import type { BaseVoiceName } from "./base-voice-names.ts";
import type { Profile } from "./speaker-profile.ts";

/** Raised when older models can't be spoken with any more; they are then trained again from the kept excerpts. */
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

/** All that is needed to speak like somebody: a plain value of about 60 KB as JSON, without any recording. */
export type VoiceModel = {
  version: typeof voiceModelVersion;
  base: BaseVoiceName;
  pitch: { from: PitchRange; to: PitchRange };
  tone: ToneTransform;
  profile: Profile;
};

/** True for a value that `trainVoice` of this version made and that was stored since. */
export function isVoiceModel(value: unknown): value is VoiceModel {
  return typeof value === "object" && value !== null && "version" in value && value.version === voiceModelVersion;
}
