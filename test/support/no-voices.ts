import type { SpeechProvider } from "../../src/features/network/speech-provider.ts";

/** For a service without voices. */
export const noVoices: SpeechProvider = {
  problem: async (_userId, voiceId) => `There is no voice clone with id ${voiceId}.`,
  speak: async (_userId, voiceId) => ({ kind: "refused", reason: `There is no voice clone with id ${voiceId}.` }),
};
