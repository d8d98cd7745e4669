import { asc, eq } from "drizzle-orm";
import type { VoiceStore } from "../../../features/voice/store.ts";
import type { Engine } from "./engine.ts";
import { isHeld } from "../../../platform/jobs/transitions.ts";
import type { JobRows } from "./job-rows.ts";
import { voiceArtefacts, voiceClones, voiceSamples } from "./voice-tables.ts";

type TrainingOperations = Pick<VoiceStore, "training" | "updateProgress" | "saveMeasurement" | "endTraining">;

/** What a training writes: always together with its job, and only while its claim holds. */
export function createVoiceTraining({ orm, writer }: Engine, jobRows: JobRows): TrainingOperations {
  const cloneOfJob = (jobId: string) => orm.select().from(voiceClones).where(eq(voiceClones.jobId, jobId)).get();

  const endTraining: TrainingOperations["endTraining"] = ({ claim, quality, trained, end }) =>
    writer.write(() => {
      const clone = cloneOfJob(claim.id);
      const job = jobRows.get(claim.id);
      if (clone === undefined || job === null || !isHeld(job, claim)) return false;
      if (trained !== null)
        orm
          .insert(voiceArtefacts)
          .values({ cloneId: clone.id, ...trained })
          .onConflictDoUpdate({ target: voiceArtefacts.cloneId, set: trained })
          .run();
      const change = { quality, updatedAt: end.at, ...(trained !== null && { trainedAt: end.at }) };
      orm.update(voiceClones).set(change).where(eq(voiceClones.id, clone.id)).run();
      return jobRows.end(claim, end);
    });

  return {
    training: async (jobId) => {
      const clone = cloneOfJob(jobId);
      if (clone === undefined) return null;
      const samples = orm
        .select()
        .from(voiceSamples)
        .where(eq(voiceSamples.cloneId, clone.id))
        .orderBy(asc(voiceSamples.createdAt), asc(voiceSamples.id))
        .all();
      return { clone, samples };
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
