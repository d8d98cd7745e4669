import { messagesOf, startThread } from "../../threads.ts";
import type { SpeakingClient } from "./speaking-client.ts";
import type { FittingAnswer } from "./threads/fitting-thread.ts";
import type { TrainingMaterial, TrainingOutcome, VoiceEngine } from "./voice-engine.ts";

/** The built-in engine: works offline and speaks English only. */
export function createBuiltInVoices(line: SpeakingClient): VoiceEngine {
  return {
    problem: async () => null,
    async train(material, onProgress, signal) {
      const outcome = await fitVoice(material, onProgress, signal);
      // A user who waited for the training is likely to request a preview next.
      if (outcome.kind === "trained") line.warm(outcome.artefact);
      return outcome;
    },
    speak: ({ artefact }, { text, settings }, signal) => line.speak(artefact, text, settings, signal),
    remove: async () => {},
  };
}

async function fitVoice(
  { samples }: TrainingMaterial,
  onProgress: (percent: number, stage: string) => void,
  signal: AbortSignal,
): Promise<TrainingOutcome> {
  const framesPaths = samples.map(({ framesPath }) => framesPath);
  const thread = startThread<never, FittingAnswer>("voice-fitting", { framesPaths });
  try {
    for await (const answer of messagesOf(thread, signal)) {
      if (answer.kind === "progress") onProgress(answer.percent, answer.stage);
      if (answer.kind === "refused") return { kind: "failed", reason: answer.reason };
      if (answer.kind !== "trained") continue;
      const { distance, baseDistance, notes } = answer.report;
      return { kind: "trained", artefact: answer.model, notes: [checkNote(distance, baseDistance), ...notes] };
    }
    throw new Error("The fitting thread ended without a result");
  } finally {
    thread.stop();
    await thread.closed;
  }
}

/** `distance` and `baseDistance`: acoustic distance of a spoken sentence to the samples. */
function checkNote(distance: number, baseDistance: number): string {
  return `Acoustic distance to the samples: ${distance.toFixed(2)}. For comparison, the unmodified base voice is at ${baseDistance.toFixed(2)}, and another recording of the same person at about 1.`;
}
