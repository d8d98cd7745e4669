import type { SpeechOutcome } from "../../../features/voice/voice-engine.ts";

/** Takes speech to its end, so that a voice counts as trained only when it was heard. Throws as the blocks do. */
export async function trySpeaking(outcome: SpeechOutcome): Promise<void> {
  if (outcome.kind !== "spoken") throw new Error(`Expected speech or a failure thrown, got ${outcome.kind}`);
  for await (const block of outcome.blocks) void block;
}
