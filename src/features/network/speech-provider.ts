import type { VoiceAudio } from "./connector.ts";

export type Speech =
  | { kind: "spoken"; audio: VoiceAudio }
  /** The voice can't speak this now or ever; `reason` is a sentence for a person. */
  | { kind: "refused"; reason: string };

/** Turns the text of a voice message into sound, in a voice of the user. */
export type SpeechProvider = {
  /** A sentence on why the voice can't be used, or null. */
  problem(userId: string, voiceId: string): Promise<string | null>;
  speak(userId: string, voiceId: string, text: string, signal: AbortSignal): Promise<Speech>;
};
