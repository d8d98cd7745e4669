import type { AudioFormat } from "../../lib/audio/pcm.ts";
import type { VoiceSettings } from "./model.ts";

/** A sound file on this machine that an engine may read, not change. */
export type AudioClip = { path: string; seconds: number };

/** One recording of a clone, after it was measured. Recordings without usable speech are not among them. */
export type TrainingSample = {
  id: string;
  /** As its sender named it; without path and control characters. */
  fileName: string;
  /** Its clearest speech, without pauses: mono WAV of 16 bit at 24 kHz, at most 30 s. */
  clip: AudioClip;
  /** The file as it was sent; null once the policy has deleted it. */
  original: { path: string; format: AudioFormat; bytes: number } | null;
  /** Speech frames of the built-in engine. */
  framesPath: string;
  speechSeconds: number;
};

/** What a voice is made of. */
export type TrainingMaterial = {
  cloneId: string;
  name: string;
  description: string;
  labels: Readonly<Record<string, string>>;
  settings: VoiceSettings;
  /** Best first, at least one. */
  samples: readonly TrainingSample[];
  /** The best speech of all samples put together: mono WAV of 16 bit at 24 kHz, 3 to 30 s. */
  reference: AudioClip;
};

export type TrainingOutcome =
  /**
   * `artefact` is what the engine needs to speak in this voice: a text that only it reads, such as a vendor's voice id
   * or a model as JSON, at most 1 MB. `notes` are sentences for the owner of the clone.
   */
  | { kind: "trained"; artefact: string; notes: readonly string[] }
  /** For good: the samples, the account or the settings won't do. `reason` is a sentence that says what to do. */
  | { kind: "failed"; reason: string }
  /** Not now: too many requests, or the vendor can't be reached. Tried again, at the earliest after so many seconds. */
  | { kind: "busy"; reason: string; retryAfterSeconds: number };

/** A voice as `train` made it. */
export type TrainedVoice = {
  cloneId: string;
  artefact: string;
  /** As in the material; for engines that are sent the speaker with every text. */
  reference: AudioClip;
};

export type SpeechRequest = {
  /** At most 5,000 characters, trimmed, not empty. */
  text: string;
  settings: VoiceSettings;
};

export type SpeechOutcome =
  /**
   * The sound as it comes, mono, -1 to 1, in blocks of any length. Iterating throws when it breaks off in the middle, and
   * leaving the loop frees what is held. The caller puts it into a file and marks it as synthetic.
   */
  | { kind: "spoken"; sampleRate: number; blocks: AsyncIterable<Float32Array> }
  /** This text, or this voice, for good. `reason` is a sentence that says what to do. */
  | { kind: "refused"; reason: string }
  /** Not now; tried again, at the earliest after so many seconds. */
  | { kind: "busy"; reason: string; retryAfterSeconds: number };

/**
 * What makes voices and speaks in them: the built-in engine, or an adapter to a vendor. Expected outcomes are values,
 * also that a vendor is down or a key is wrong; what is thrown is a fault of ours (or the abort of `signal`).
 */
export type VoiceEngine = {
  /** Null when it can be used as it is configured, else a sentence for the operator. Does not cost anything. */
  problem(signal: AbortSignal): Promise<string | null>;
  /**
   * Makes a voice. `onProgress` hears of percents from 0 to 100 and of the stage in words ("Uploading 2 of 5 samples").
   * A run that was cut off is repeated with the same `cloneId`: an engine that keeps voices under a name of their own
   * finds what it left behind by that.
   */
  train(
    material: TrainingMaterial,
    onProgress: (percent: number, stage: string) => void,
    signal: AbortSignal,
  ): Promise<TrainingOutcome>;
  /** Resolves as soon as the first sound is there or it's clear that none will come. */
  speak(voice: TrainedVoice, request: SpeechRequest, signal: AbortSignal): Promise<SpeechOutcome>;
  /** Deletes what is kept for a voice elsewhere; also when it's gone already. Throws when that is not sure: asked again. */
  remove(artefact: string, signal: AbortSignal): Promise<void>;
};
