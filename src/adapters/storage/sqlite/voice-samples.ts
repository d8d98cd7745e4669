import { and, asc, eq, inArray } from "drizzle-orm";
import type { VoiceSample } from "../../../features/voice/model.ts";
import type { AddOutcome, AddSamples, Retraining, VoiceStore } from "../../../features/voice/store.ts";
import type { Engine } from "./engine.ts";
import type { JobRows } from "./job-rows.ts";
import { voiceClones, voiceSamples } from "./voice-tables.ts";
import type { VoiceUsage } from "./voice-usage.ts";

type SampleOperations = Pick<
  VoiceStore,
  "samples" | "addSamples" | "removeSample" | "retrain" | "markOriginalsDeleted" | "findClones"
>;

/** Samples of a clone; each change of them starts a new training in the same transaction. */
export function createVoiceSamples({ orm, writer }: Engine, jobRows: JobRows, usage: VoiceUsage) {
  const cloneOf = (userId: string, id: string) =>
    orm
      .select()
      .from(voiceClones)
      .where(and(eq(voiceClones.id, id), eq(voiceClones.userId, userId)))
      .get();

  const samplesOf = (cloneId: string): VoiceSample[] =>
    orm
      .select()
      .from(voiceSamples)
      .where(eq(voiceSamples.cloneId, cloneId))
      .orderBy(asc(voiceSamples.createdAt), asc(voiceSamples.id))
      .all();

  /** Its runner finds the claim void. */
  function endOpenJob(jobId: string, message: string, at: number): void {
    const job = jobRows.get(jobId);
    if (job === null || job.status === "completed" || job.status === "failed") return;
    const metadata = { ...job.metadata, canceled: true };
    jobRows.write(job, { status: "failed", message, metadata, leaseUntil: null, completedAt: at, updatedAt: at });
  }

  function retrain({ userId, cloneId, job, engine, maxClones, at }: Retraining): "begun" | "absent" | "tooManyClones" {
    const clone = cloneOf(userId, cloneId);
    if (clone === undefined) return "absent";
    if (!usage.counts(cloneId) && usage.countOf(userId) >= maxClones) return "tooManyClones";
    endOpenJob(clone.jobId, "A newer training took its place.", at);
    jobRows.insert(job);
    orm.update(voiceClones).set({ jobId: job.id, engine, updatedAt: at }).where(eq(voiceClones.id, cloneId)).run();
    return "begun";
  }

  function addSamples(request: AddSamples): AddOutcome {
    const { userId, cloneId, samples, maxSamples, maxBytes } = request;
    if (cloneOf(userId, cloneId) === undefined) return { kind: "absent" };
    const stored = samplesOf(cloneId);
    if (stored.length + samples.length > maxSamples) return { kind: "tooMany", count: stored.length };
    const twin = samples.find(({ sha256 }) => stored.some((sample) => sample.sha256 === sha256));
    if (twin !== undefined) return { kind: "duplicate", sha256: twin.sha256, fileName: twin.fileName };
    const usedBytes = usage.bytesOf(userId);
    if (samples.reduce((bytes, file) => bytes + file.bytes, usedBytes) > maxBytes) return { kind: "noRoom", usedBytes };
    if (retrain(request) === "tooManyClones") return { kind: "tooManyClones", count: usage.countOf(userId) };
    orm.insert(voiceSamples).values(samples).run();
    return { kind: "added" };
  }

  function removeSample(request: Retraining & { sampleId: string }): "removed" | "absent" | "last" | "tooManyClones" {
    const { userId, cloneId, sampleId } = request;
    const stored = cloneOf(userId, cloneId) === undefined ? [] : samplesOf(cloneId);
    if (!stored.some(({ id }) => id === sampleId)) return "absent";
    if (stored.length === 1) return "last";
    if (retrain(request) === "tooManyClones") return "tooManyClones";
    orm.delete(voiceSamples).where(eq(voiceSamples.id, sampleId)).run();
    return "removed";
  }

  async function known(cloneIds: readonly string[]) {
    const wanted = [...cloneIds];
    const clones = orm.select({ id: voiceClones.id }).from(voiceClones).where(inArray(voiceClones.id, wanted)).all();
    const found = new Map(clones.map(({ id }) => [id, new Set<string>()]));
    const rows = orm
      .select({ id: voiceSamples.id, cloneId: voiceSamples.cloneId })
      .from(voiceSamples)
      .where(inArray(voiceSamples.cloneId, wanted))
      .all();
    for (const { id, cloneId } of rows) found.get(cloneId)?.add(id);
    return found;
  }

  const operations: SampleOperations = {
    samples: async (userId, cloneId) => (cloneOf(userId, cloneId) === undefined ? [] : samplesOf(cloneId)),
    addSamples: (request) => writer.write(() => addSamples(request)),
    removeSample: (request) => writer.write(() => removeSample(request)),
    retrain: (request) => writer.write(() => retrain(request)),
    markOriginalsDeleted: (cloneId, sampleIds) =>
      writer.write(
        () =>
          void orm
            .update(voiceSamples)
            .set({ hasOriginal: false })
            .where(and(eq(voiceSamples.cloneId, cloneId), inArray(voiceSamples.id, [...sampleIds])))
            .run(),
      ),
    findClones: known,
  };
  return { operations, endOpenJob };
}
