import type { VoiceAudio } from "./connector.ts";

export type Speech =
  | { kind: "spoken"; audio: VoiceAudio }
  /** The voice cannot generate this speech, at least for now; `reason` is a human-readable sentence. */
  | { kind: "refused"; reason: string };

/** Generates the audio of voice messages with a voice of the user. */
export type SpeechProvider = {
  /** Why the voice cannot be used, as a sentence, or null. */
  problem(workspaceId: string, voiceId: string): Promise<string | null>;
  speak(workspaceId: string, voiceId: string, text: string, signal: AbortSignal): Promise<Speech>;
};
