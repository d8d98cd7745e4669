import { eq } from "drizzle-orm";
import { decideTrainingEnd } from "../../../features/voice/decisions.ts";
import type { TrainingStep, VoiceStore } from "../../../features/voice/store.ts";
import { isHeld, type JobChange } from "../../../platform/jobs/transitions.ts";
import type { Connection, Engine } from "./engine.ts";
import { lockJob, writeJob } from "./jobs.ts";
import { readClone, readSamples, writeVoiceChanges } from "./voice-rows.ts";
import { voiceClones, voiceSamples } from "./voice-tables.ts";

type TrainingOperations = Pick<VoiceStore, "training" | "updateProgress" | "saveMeasurement" | "endTraining">;

/** What a training writes: always together with its job, and only while its claim holds. */
export function createVoiceTraining({ orm, transact }: Engine): TrainingOperations {
  return {
    async training(jobId) {
      const clone = await readClone(orm, eq(voiceClones.jobId, jobId));
      return clone && { clone, samples: await readSamples(orm, clone.id) };
    },
    updateProgress: ({ progress, message, ...step }) =>
      transact((connection) => writeClaimed(connection, step, { progress, message })),
    saveMeasurement: ({ sampleId, quality, derivedBytes, ...step }) =>
      transact(async (connection) => {
        if (!(await writeClaimed(connection, step, {}))) return false;
        await connection.update(voiceSamples).set({ quality, derivedBytes }).where(eq(voiceSamples.id, sampleId));
        return true;
      }),
    endTraining: (ending) =>
      transact(async (connection) => {
        const { id } = ending.claim;
        // A newer training that takes its place ends this job first.
        const job = await lockJob(connection, id);
        const clone = await readClone(connection, eq(voiceClones.jobId, id));
        const { outcome, changes } = decideTrainingEnd(ending, clone, { job: () => job });
        await writeVoiceChanges(connection, changes);
        return outcome;
      }),
  };
}

async function writeClaimed(
  connection: Connection,
  { claim, leaseUntil, at }: TrainingStep,
  change: Pick<JobChange, "progress" | "message">,
): Promise<boolean> {
  const job = await lockJob(connection, claim.id);
  if (job === null || !isHeld(job, claim)) return false;
  await writeJob(connection, job, { ...change, leaseUntil, updatedAt: at });
  return true;
}
