import type { SpeechProvider } from "../../src/features/network/speech-provider.ts";

/** For a service without voices. */
export const noVoices: SpeechProvider = {
  problem: async (_userId, voiceId) => `Voice clone ${voiceId} not found.`,
  speak: async (_userId, voiceId) => ({ kind: "refused", reason: `Voice clone ${voiceId} not found.` }),
};
