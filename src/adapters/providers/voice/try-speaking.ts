import type { SpeechOutcome } from "../../../features/voice/voice-engine.ts";

/** Consumes speech to the end, so that a voice only counts as trained once it has spoken. Throws like the blocks. */
export async function trySpeaking(outcome: SpeechOutcome): Promise<void> {
  if (outcome.kind !== "spoken") throw new Error(`Expected speech or a failure thrown, got ${outcome.kind}`);
  for await (const block of outcome.blocks) void block;
}
