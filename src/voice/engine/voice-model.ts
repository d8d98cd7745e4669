import type { BaseVoiceName } from "./base-voice-names.ts";
import type { Profile } from "./speaker-profile.ts";

/** Raised when older models can't be spoken with any more; they are then trained again from the kept excerpts. */
export const voiceModelVersion = 1;

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

/** `correction` evens out what speaking itself adds: log power, a number a band. */
export type ToneTransform = VoicedTone & { correction: number[] };

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
