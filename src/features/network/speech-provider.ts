import type { VoiceAudio } from "./connector.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type Speech =
  | { kind: "spoken"; audio: VoiceAudio }
  /** The voice cannot generate this speech, at least for now; `reason` is a human-readable sentence. */
  | { kind: "refused"; reason: string };

/** Generates the audio of voice messages with a voice of the user. */
export type SpeechProvider = {
  /** Why the voice cannot be used, as a sentence, or null. */
  problem(workspaceId: WorkspaceId, voiceId: string): Promise<string | null>;
  speak(workspaceId: WorkspaceId, voiceId: string, text: string, signal: AbortSignal): Promise<Speech>;
};
