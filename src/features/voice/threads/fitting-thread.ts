import { giveWay, type ThreadPort } from "../../../threads.ts";
import { BaseVoices } from "../../../lib/voice-engine/base-voices.ts";
import { loadFlite } from "../../../lib/voice-engine/voice-assets.ts";
import { VoiceError } from "../../../lib/voice-engine/voice-error.ts";
import { trainVoice, type CloneReport, type TrainingStage } from "../../../lib/voice-engine/voice-training.ts";
import { readFrames } from "./frames-file.ts";

export type FittingRequest = { framesPaths: string[] };

export type FittingAnswer =
  | { kind: "progress"; percent: number; stage: TrainingStage }
  /** `model`: the voice as JSON. */
  | { kind: "trained"; model: string; report: CloneReport }
  | { kind: "refused"; reason: string };

/** The task "voice-fitting": trains a voice of the built-in engine from the measurements. */
export type FittingThread = { task: "voice-fitting"; init: FittingRequest; port: ThreadPort<never, FittingAnswer> };

export async function runFittingThread(port: FittingThread["port"], { framesPaths }: FittingRequest): Promise<void> {
  giveWay();
  const voices = new BaseVoices(await loadFlite());
  const noExcerpt = { signal: new Float32Array(0), sampleRate: 0 };
  const samples = framesPaths.flatMap((path) => {
    const measured = readFrames(path);
    return measured === null ? [] : [{ ...measured, excerpt: noExcerpt }];
  });
  try {
    const { model, report } = trainVoice(samples, voices, (percent, stage) =>
      port.post({ kind: "progress", percent, stage }),
    );
    port.post({ kind: "trained", model: JSON.stringify(model), report });
  } catch (error) {
    if (!(error instanceof VoiceError)) throw error;
    port.post({ kind: "refused", reason: error.message });
  }
}
