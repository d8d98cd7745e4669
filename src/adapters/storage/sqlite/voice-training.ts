import { eq } from "drizzle-orm";
import { decideTrainingEnd } from "../../../features/voice/decisions.ts";
import type { VoiceStore } from "../../../features/voice/store.ts";
import type { Engine } from "./engine.ts";
import type { JobRows } from "./job-rows.ts";
import type { VoiceRows } from "./voice-rows.ts";
import { voiceSamples } from "./voice-tables.ts";

type TrainingOperations = Pick<VoiceStore, "training" | "updateProgress" | "saveMeasurement" | "endTraining">;

/** What a training writes: always together with its job, and only while its claim holds. */
export function createVoiceTraining({ orm, writer }: Engine, jobRows: JobRows, rows: VoiceRows): TrainingOperations {
  const endTraining: TrainingOperations["endTraining"] = (ending) =>
    writer.write(() => rows.apply(decideTrainingEnd(ending, rows.ofJob(ending.claim.id), rows.facts)));

  return {
    training: async (jobId) => {
      const clone = rows.ofJob(jobId);
      return clone && { clone, samples: [...rows.facts.samples(clone.id)] };
    },
    updateProgress: ({ claim, leaseUntil, at, progress, message }) =>
      writer.write(() => jobRows.writeClaimed(claim, () => ({ progress, message, leaseUntil, updatedAt: at }))),
    saveMeasurement: ({ claim, leaseUntil, at, sampleId, quality, derivedBytes }) =>
      writer.write(() => {
        if (!jobRows.writeClaimed(claim, () => ({ leaseUntil, updatedAt: at }))) return false;
        orm.update(voiceSamples).set({ quality, derivedBytes }).where(eq(voiceSamples.id, sampleId)).run();
        return true;
      }),
    endTraining,
  };
}
