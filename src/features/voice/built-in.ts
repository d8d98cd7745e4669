import { messagesOf, startThread } from "../../threads.ts";
import type { SpeakingLine } from "./speaking.ts";
import type { FittingAnswer } from "./threads/fitting-thread.ts";
import type { TrainingMaterial, TrainingOutcome, VoiceEngine } from "./voice-engine.ts";

/** The engine that is part of the program: works offline, speaks English, and says so where it can't. */
export function createBuiltInVoices(line: SpeakingLine): VoiceEngine {
  return {
    problem: async () => null,
    async train(material, onProgress, signal) {
      const outcome = await fitted(material, onProgress, signal);
      // Whoever waited for the training wants to hear the voice next.
      if (outcome.kind === "trained") line.warm(outcome.artefact);
      return outcome;
    },
    speak: ({ artefact }, { text, settings }, signal) => line.speak(artefact, text, settings, signal),
    remove: async () => {},
  };
}

async function fitted(
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
    throw new Error("The fitting thread ended without a voice");
  } finally {
    thread.stop();
    await thread.closed;
  }
}

/** Distances of a spoken sentence to the samples. */
function checkNote(distance: number, baseDistance: number): string {
  return `Checked against the samples: at a distance of ${distance.toFixed(2)}, where the unchanged base voice is at ${baseDistance.toFixed(2)} and another recording of the same person at about 1.`;
}
