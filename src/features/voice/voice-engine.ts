import type { VoiceSettings } from "./model.ts";

/** A local audio file that an engine may read but not modify. */
export type AudioClip = { path: string; seconds: number };

/** A measured recording of a clone. Recordings without usable speech are excluded. */
export type TrainingSample = {
  id: string;
  /** Original file name, without path and control characters. */
  fileName: string;
  /** The clearest speech without pauses, as 16-bit mono WAV at 24 kHz, at most 30 s. */
  clip: AudioClip;
  /** File with the speech frames for the built-in engine. */
  framesPath: string;
  speechSeconds: number;
};

/** Input for training a voice. */
export type TrainingMaterial = {
  cloneId: string;
  name: string;
  description: string;
  labels: Readonly<Record<string, string>>;
  settings: VoiceSettings;
  /** Best first, at least one. */
  samples: readonly TrainingSample[];
  /** The best speech of all samples combined, as 16-bit mono WAV at 24 kHz, 3 to 30 s. */
  reference: AudioClip;
};

export type TrainingOutcome =
  /**
   * `artefact` is what the engine needs to speak in this voice: an opaque string, such as a vendor's voice ID or a JSON
   * model, at most 1 MB. `notes` are sentences for the owner of the clone.
   */
  | { kind: "trained"; artefact: string; notes: readonly string[] }
  /** Permanent: unsuitable samples, account, or settings. `reason` is a sentence that says what to do. */
  | { kind: "failed"; reason: string }
  /** Temporary: rate limited, or the vendor is unreachable. Retried after at least `retryAfterSeconds`. */
  | { kind: "busy"; reason: string; retryAfterSeconds: number };

/** A voice created by `train`. */
export type TrainedVoice = {
  cloneId: string;
  artefact: string;
  /** As in the training material, for engines that need the reference with every request. */
  reference: AudioClip;
};

export type SpeechRequest = {
  /** At most 5,000 characters, trimmed, and not empty. */
  text: string;
  settings: VoiceSettings;
};

export type SpeechOutcome =
  /**
   * Streamed mono audio from -1 to 1, in blocks of any length. Iteration throws if the stream is interrupted; leaving
   * the loop frees all resources. The caller writes the file and marks it as synthetic.
   */
  | { kind: "spoken"; sampleRate: number; blocks: AsyncIterable<Float32Array> }
  /** Permanent, for this text or voice. `reason` is a sentence that says what to do. */
  | { kind: "refused"; reason: string }
  /** Temporary. Retried after at least `retryAfterSeconds`. */
  | { kind: "busy"; reason: string; retryAfterSeconds: number };

/**
 * Trains voices and generates speech: the built-in engine, or an adapter for a vendor. Expected outcomes are values,
 * even if a vendor is down or a key is wrong; exceptions are internal errors (or the abort of `signal`).
 */
export type VoiceEngine = {
  /** Null if the engine is usable as configured, or else the reason, as a sentence for the operator. Free of charge. */
  problem(signal: AbortSignal): Promise<string | null>;
  /**
   * Trains a voice. `onProgress` receives the percentage and the stage as text ("Uploading 2 of 5 samples"). An
   * interrupted run is repeated with the same `cloneId`, by which an engine can find voices it has already created.
   */
  train(
    material: TrainingMaterial,
    onProgress: (percent: number, stage: string) => void,
    signal: AbortSignal,
  ): Promise<TrainingOutcome>;
  /** Resolves as soon as the first audio is available or it is certain that there will be none. */
  speak(voice: TrainedVoice, request: SpeechRequest, signal: AbortSignal): Promise<SpeechOutcome>;
  /**
   * Deletes the vendor's copy of a voice; succeeds if it is already gone. Throws if deletion is uncertain, and is then
   * retried.
   */
  remove(artefact: string, signal: AbortSignal): Promise<void>;
};
