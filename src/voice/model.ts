/** Engines that a voice can be trained with; adapters to vendors stand in src/providers/voice. */
export const voiceEngineNames = [
  "local",
  "elevenlabs",
  "cartesia",
  "chatterbox",
  "chatterbox-devnen",
  "pocket-tts",
  "xtts",
  "openai-speech",
] as const;
export type VoiceEngineName = (typeof voiceEngineNames)[number];

/**
 * How a voice speaks. `clarity` is what vendors call similarity: nearer to the speaker, at the price of being understood
 * less well. `stability` 1 keeps the melody flat.
 */
export type VoiceSettings = { stability: number; clarity: number; useSpeakerBoost: boolean };
