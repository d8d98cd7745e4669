import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock } from "../../platform/base/clock.ts";
import type { Place } from "../../lib/concurrency/fair-queue.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import type { Log } from "../../platform/base/log.ts";
import { sampleVerdicts } from "../../lib/voice-engine/sample-report.ts";
import { voiceFiles } from "./files.ts";
import type {
  CloneQuality,
  OriginalsPolicy,
  SampleQuality,
  VoiceClone,
  VoiceEngineName,
  VoiceSample,
} from "./model.ts";
import { cloneQuality, trainingProblem } from "./quality.ts";
import { clipSeconds, writeReference } from "./reference.ts";
import type { SampleMeter } from "./sample-meter.ts";
import type { TrainedArtefact } from "./change-model.ts";
import type { VoiceStore } from "./store.ts";
import type { DerivedFiles, SampleToMeasure } from "./threads/analysis-thread.ts";
import { TrainingProgress } from "./training-progress.ts";
import type { TrainingMaterial, TrainingSample, VoiceEngine } from "./voice-engine.ts";

/** Configured engines, by name. */
export type VoiceEngines = Partial<Record<VoiceEngineName, VoiceEngine>>;

export type TrainingParts = {
  store: VoiceStore;
  blobs: BlobStore;
  engines: VoiceEngines;
  meter: SampleMeter;
  originals: OriginalsPolicy;
  clock: Clock;
  log: Log;
  /** Removes what the training wrote if the clone was deleted meanwhile, which voids the claim. */
  removeFiles: (cloneId: string) => Promise<void>;
};

/** Upper end of the documented duration ("2 to 5 minutes"). */
const timeoutMs = 5 * 60_000;
/** Measuring takes most of the time. */
const measuredPercent = 60;
const consentId = "consent";

class ClaimLost extends Error {}
class TimedOut extends Error {}

/** Result of a training, stored in one transaction. */
type TrainingResult = { quality: CloneQuality | null; trained: TrainedArtefact | null; end: JobEnd };

/**
 * Trains a voice: measures the samples that have not been measured, checks their overall quality, and lets the engine
 * train a voice. Measurements are stored, so that an interrupted training continues where it stopped.
 */
export function createTrainingHandler(parts: TrainingParts): JobHandler {
  const { store, blobs, engines, meter, originals, clock, log, removeFiles } = parts;

  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const found = await store.training(job.id);
    if (found === null) return failure("Replaced by a newer training, or the voice clone was deleted.");
    const limits = new AbortController();
    let cancelTimeout = (): void => {};
    const signal = AbortSignal.any([context.signal, limits.signal]);
    const progress = new TrainingProgress(store, context, clock, () => limits.abort(new ClaimLost()));
    const place = meter.queue.join(`training:${job.workspaceId}`);
    using held = new DisposableStack();
    const localPath = async (name: string) => held.use(await blobs.localFile(name)).path;
    try {
      await place.turn(signal);
      // Time spent in the queue does not count toward the timeout.
      cancelTimeout = clock.after(timeoutMs, () => limits.abort(new TimedOut()));
      const result = await train(found.clone, found.samples, { job, context, signal, progress, place, localPath });
      await progress.flush();
      return await finish(found.clone, context, result);
    } catch (error) {
      await progress.flush();
      const reason: unknown = limits.signal.reason;
      if (reason instanceof ClaimLost || context.signal.aborted) await removeFilesIfGone(found.clone.id);
      if (reason instanceof ClaimLost) return null;
      if (!(reason instanceof TimedOut)) throw error;
      const message = "Training timed out after 5 minutes. Send fewer or shorter recordings.";
      return await finish(found.clone, context, { quality: found.clone.quality, trained: null, end: failure(message) });
    } finally {
      cancelTimeout();
      place.leave();
    }
  }

  type TrainingWork = {
    job: Job;
    context: JobContext;
    signal: AbortSignal;
    progress: TrainingProgress;
    place: Place;
    /** Path of a local file that stays until the training ends. */
    localPath: (name: string) => Promise<string>;
  };

  async function train(clone: VoiceClone, stored: VoiceSample[], work: TrainingWork): Promise<TrainingResult> {
    const { samples, speakers, consent } = await measureAll(clone, stored, work);
    const quality = cloneQuality(
      samples.map((sample) => sample.quality),
      speakers,
    );
    const rejected = (message: string): TrainingResult => ({ quality, trained: null, end: failure(message) });
    if (consent?.verdict === "unusable")
      return rejected(
        `The consent recording cannot be used. ${consent.problems.map(({ message }) => message).join(" ")}`,
      );
    const problem = trainingProblem(samples.map((sample) => sample.quality));
    if (problem !== null) return rejected(problem);
    const engine = engines[clone.engine];
    if (engine === undefined)
      return rejected(`The engine ${clone.engine} is no longer configured on this server. Retrain this voice.`);
    const material = await materialOf(clone, samples, work);
    const onProgress = (percent: number, stage: string) =>
      work.progress.report(measuredPercent + (percent * (100 - measuredPercent)) / 100, stage);
    const outcome = await engine.train(material, onProgress, work.signal);
    if (outcome.kind === "failed") return rejected(outcome.reason);
    if (outcome.kind === "busy") return { quality, trained: null, end: deferral(work.job, outcome) };
    const trained = { engine: clone.engine, artefact: outcome.artefact };
    const seconds = Math.round(quality.speechSeconds);
    const message = `Ready: trained with ${seconds} seconds of speech from ${quality.usableSamples} of ${samples.length} samples`;
    const end: JobEnd = { kind: "completed", message, metadata: { engine: clone.engine }, at: clock.now() };
    const known = new Set(quality.problems.map(({ message }) => message));
    return { quality: { ...quality, notes: outcome.notes.filter((note) => !known.has(note)) }, trained, end };
  }

  type Measured = VoiceSample & { quality: SampleQuality };

  async function measureAll(
    clone: VoiceClone,
    stored: VoiceSample[],
    { context, signal, progress, place, localPath }: TrainingWork,
  ) {
    const qualities = new Map<string, SampleQuality>();
    const toMeasure: SampleToMeasure[] = [];
    const measuredBefore: string[] = [];
    for (const sample of stored) {
      const { source, isMeasured } = await filesOf(clone, sample);
      if (isMeasured) qualities.set(sample.id, sample.quality!);
      if (isMeasured && sample.quality?.verdict !== "unusable")
        measuredBefore.push(await localPath(voiceFiles.frames(clone.id, sample.id)));
      if (isMeasured) continue;
      if (source === null) qualities.set(sample.id, missingFile);
      else toMeasure.push({ id: sample.id, path: await localPath(source), isStored: true });
    }
    if (clone.consent?.recording)
      toMeasure.push({ id: consentId, path: await localPath(voiceFiles.consent(clone.id)), isStored: false });
    let speakers = 0;
    for await (const answer of meter.measure({ samples: toMeasure, measuredBefore }, place, signal)) {
      if (answer.kind === "progress") {
        const share = (answer.index + answer.share) / toMeasure.length;
        progress.report(measuredPercent * share, `Reading sample ${answer.index + 1} of ${toMeasure.length}`);
      } else if (answer.kind === "measured") {
        qualities.set(answer.id, answer.quality);
        if (answer.id === consentId) continue;
        const { claim, leaseUntil } = context;
        const { id: sampleId, quality, derived } = answer;
        // Files first: a row must never refer to a missing file.
        const derivedBytes = derived === null ? 0 : await storeDerived(clone.id, sampleId, derived);
        const step = { claim, leaseUntil: leaseUntil(), at: clock.now() };
        if (
          !(await context.retryOnDiskFault(() => store.saveMeasurement({ ...step, sampleId, quality, derivedBytes })))
        )
          throw new ClaimLost();
      } else speakers = answer.speakers;
    }
    place.leave();
    const samples = stored.map((sample): Measured => ({ ...sample, quality: qualities.get(sample.id) ?? missingFile }));
    return { samples, speakers, consent: qualities.get(consentId) ?? null };
  }

  /** Returns the size of both files in bytes. */
  async function storeDerived(cloneId: string, sampleId: string, { clip, frames }: DerivedFiles): Promise<number> {
    await blobs.receive(voiceFiles.clip(cloneId, sampleId), iterate(clip), clip.length);
    await blobs.receive(voiceFiles.frames(cloneId, sampleId), iterate(frames), frames.length);
    return clip.length + frames.length;
  }

  /** `source`: the file to measure, which is the clip if the original was deleted. */
  async function filesOf(clone: VoiceClone, sample: VoiceSample) {
    const isUnusable = sample.quality?.verdict === "unusable";
    const hasFrames = async () => (await blobs.find(voiceFiles.frames(clone.id, sample.id))) !== null;
    if (sample.quality !== null && (isUnusable || (await hasFrames()))) return { isMeasured: true, source: null };
    const clip = voiceFiles.clip(clone.id, sample.id);
    const candidates = sample.hasOriginal ? [voiceFiles.original(clone.id, sample.id), clip] : [clip];
    let source: string | null = null;
    for (const name of candidates) if (source === null && (await blobs.find(name)) !== null) source = name;
    return { isMeasured: false, source };
  }

  async function materialOf(
    clone: VoiceClone,
    measured: Measured[],
    { localPath }: TrainingWork,
  ): Promise<TrainingMaterial> {
    const usable = measured.filter(({ quality }) => quality.verdict !== "unusable").toSorted(bestFirst);
    const samples: TrainingSample[] = [];
    for (const sample of usable) {
      const clip = voiceFiles.clip(clone.id, sample.id);
      samples.push({
        id: sample.id,
        fileName: sample.fileName,
        clip: { path: await localPath(clip), seconds: clipSeconds((await blobs.find(clip))?.bytes ?? 0) },
        framesPath: await localPath(voiceFiles.frames(clone.id, sample.id)),
        speechSeconds: sample.quality.measures?.speechSeconds ?? 0,
      });
    }
    const clips = samples.map(({ clip }) => clip);
    const seconds = await writeReference(blobs, clone.id, clips);
    const reference = { path: await localPath(voiceFiles.reference(clone.id)), seconds };
    const { name, description, labels, settings } = clone;
    return { cloneId: clone.id, name, description, labels, settings, samples, reference };
  }

  /** Stores the result. Only this process knows it, so writing is retried until the disk accepts it. */
  async function finish(
    clone: VoiceClone,
    { claim, retryOnDiskFault }: JobContext,
    result: TrainingResult,
  ): Promise<JobEnd | null> {
    const { trained, end } = result;
    const isOurs = await retryOnDiskFault(() => store.endTraining({ claim, ...result }));
    if (!isOurs) {
      if (trained !== null) await engines[trained.engine]?.remove(trained.artefact, AbortSignal.timeout(30_000));
      await removeFilesIfGone(clone.id);
      return null;
    }
    log.info({ voiceId: clone.id, jobId: claim.id, outcome: end.kind, engine: clone.engine }, end.message);
    if (trained !== null && originals === "delete") await deleteOriginals(clone);
    return null;
  }

  async function deleteOriginals({ id, workspaceId }: VoiceClone): Promise<void> {
    const stored = (await store.samples(workspaceId, id)).filter(
      ({ hasOriginal, quality }) => hasOriginal && quality !== null,
    );
    // Rows first: a row must never reference a missing file, and orphaned files are swept.
    await store.markOriginalsDeleted(
      id,
      stored.map((sample) => sample.id),
    );
    for (const sample of stored) await blobs.remove(voiceFiles.original(id, sample.id));
  }

  async function removeFilesIfGone(cloneId: string): Promise<void> {
    if (!(await store.findClones([cloneId])).has(cloneId)) await removeFiles(cloneId);
  }

  function failure(message: string): JobEnd {
    return { kind: "failed", message, metadata: {}, at: clock.now() };
  }

  function deferral(job: Job, { reason, retryAfterSeconds }: { reason: string; retryAfterSeconds: number }): JobEnd {
    if (job.failures + 1 >= job.maxAttempts) return failure(`Gave up after ${job.maxAttempts} attempts. ${reason}`);
    const at = clock.now();
    const runAt = at + retryAfterSeconds * 1000;
    return { kind: "again", message: reason, metadata: {}, at, runAt, countsAsAttempt: true };
  }

  return { type: "voice_training", concurrency: 1, run };
}

const missingFile: SampleQuality = {
  verdict: "unusable",
  problems: [
    { code: "file_missing", message: "The file of this sample is missing. Remove the sample and upload it again." },
  ],
  measures: null,
};

function bestFirst(a: { quality: SampleQuality }, b: { quality: SampleQuality }): number {
  const rank = ({ quality }: { quality: SampleQuality }) => sampleVerdicts.indexOf(quality.verdict);
  return rank(a) - rank(b) || (b.quality.measures?.speechSeconds ?? 0) - (a.quality.measures?.speechSeconds ?? 0);
}

async function* iterate(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
