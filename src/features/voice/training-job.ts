import { stat } from "node:fs/promises";
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
import type { TrainedArtefact, VoiceStore } from "./store.ts";
import type { SampleToMeasure } from "./threads/analysis-thread.ts";
import { TrainingProgress } from "./training-progress.ts";
import type { TrainingMaterial, TrainingSample, VoiceEngine } from "./voice-engine.ts";

/** The engines that are set up, by name. */
export type VoiceEngines = Partial<Record<VoiceEngineName, VoiceEngine>>;

export type TrainingParts = {
  store: VoiceStore;
  blobs: BlobStore;
  engines: VoiceEngines;
  meter: SampleMeter;
  originals: OriginalsPolicy;
  clock: Clock;
  log: Log;
  /** The claim was void because the clone is gone: what the training wrote must go as well. */
  removeFiles: (cloneId: string) => Promise<void>;
};

/** The upper end of what clients are told ("2 to 5 minutes"). */
const timeoutMs = 5 * 60_000;
/** Measuring takes most of the time. */
const measuredPercent = 60;
const consentId = "consent";

class ClaimLost extends Error {}
class TimedOut extends Error {}

/** What a training found out before it came to an end, which is then written in one. */
type Result = { quality: CloneQuality | null; trained: TrainedArtefact | null; end: JobEnd };

/**
 * Trains a voice: measures the samples that were not measured yet, judges them together, and has the engine make a voice
 * of them. What was measured is kept, so that an interrupted training goes on where it was.
 */
export function createTrainingHandler(parts: TrainingParts): JobHandler {
  const { store, blobs, engines, meter, originals, clock, log, removeFiles } = parts;

  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const found = await store.training(job.id);
    if (found === null) return failed("A newer training took its place, or the voice clone is gone.");
    const limits = new AbortController();
    let cancelTimeout = (): void => {};
    const signal = AbortSignal.any([context.signal, limits.signal]);
    const progress = new TrainingProgress(store, context, clock, () => limits.abort(new ClaimLost()));
    const place = meter.queue.join(`training:${job.userId}`);
    try {
      await place.turn(signal);
      // Waiting behind others is not part of the time that a training may take.
      cancelTimeout = clock.after(timeoutMs, () => limits.abort(new TimedOut()));
      const result = await train(found.clone, found.samples, { job, context, signal, progress, place });
      await progress.settled();
      return await finish(found.clone, context, result);
    } catch (error) {
      await progress.settled();
      const reason: unknown = limits.signal.reason;
      if (reason instanceof ClaimLost || context.signal.aborted) await forgetIfGone(found.clone.id);
      if (reason instanceof ClaimLost) return null;
      if (!(reason instanceof TimedOut)) throw error;
      const message = "The training took longer than 5 minutes and was stopped: send fewer or shorter recordings.";
      return await finish(found.clone, context, { quality: found.clone.quality, trained: null, end: failed(message) });
    } finally {
      cancelTimeout();
      place.leave();
    }
  }

  type Work = { job: Job; context: JobContext; signal: AbortSignal; progress: TrainingProgress; place: Place };

  async function train(clone: VoiceClone, stored: VoiceSample[], work: Work): Promise<Result> {
    const { samples, speakers, consent } = await measureAll(clone, stored, work);
    const quality = cloneQuality(
      samples.map((sample) => sample.quality),
      speakers,
    );
    const refused = (message: string): Result => ({ quality, trained: null, end: failed(message) });
    if (consent?.verdict === "unusable")
      return refused(
        `The recording of consent can't be used. ${consent.problems.map(({ message }) => message).join(" ")}`,
      );
    const problem = trainingProblem(samples.map((sample) => sample.quality));
    if (problem !== null) return refused(problem);
    const engine = engines[clone.engine];
    if (engine === undefined)
      return refused(`The engine ${clone.engine} is not set up on this server any more: train this voice again.`);
    const material = await materialOf(clone, samples);
    const onProgress = (percent: number, stage: string) =>
      work.progress.tell(measuredPercent + (percent * (100 - measuredPercent)) / 100, stage);
    const outcome = await engine.train(material, onProgress, work.signal);
    if (outcome.kind === "failed") return refused(outcome.reason);
    if (outcome.kind === "busy") return { quality, trained: null, end: postponed(work.job, outcome) };
    const trained = { engine: clone.engine, artefact: outcome.artefact };
    const seconds = Math.round(quality.speechSeconds);
    const message = `Ready: trained with ${seconds} seconds of speech from ${quality.usableSamples} of ${samples.length} samples`;
    const end: JobEnd = { kind: "completed", message, metadata: { engine: clone.engine }, at: clock.now() };
    const told = new Set(quality.problems.map(({ message }) => message));
    return { quality: { ...quality, notes: outcome.notes.filter((note) => !told.has(note)) }, trained, end };
  }

  type Measured = VoiceSample & { quality: SampleQuality };

  async function measureAll(clone: VoiceClone, stored: VoiceSample[], { context, signal, progress, place }: Work) {
    const qualities = new Map<string, SampleQuality>();
    const toMeasure: SampleToMeasure[] = [];
    const measuredBefore: string[] = [];
    for (const sample of stored) {
      const { source, framesPath, clipPath, isMeasured } = await filesOf(clone, sample);
      if (isMeasured) qualities.set(sample.id, sample.quality!);
      if (isMeasured && sample.quality?.verdict !== "unusable") measuredBefore.push(framesPath);
      if (isMeasured) continue;
      if (source === null) qualities.set(sample.id, lostFile);
      else toMeasure.push({ id: sample.id, path: source, output: { clipPath, framesPath } });
    }
    if (clone.consent?.recording)
      toMeasure.push({ id: consentId, path: await blobs.localPath(voiceFiles.consent(clone.id)), output: null });
    let speakers = 0;
    for await (const answer of meter.measure({ samples: toMeasure, measuredBefore }, place, signal)) {
      if (answer.kind === "progress") {
        const share = (answer.index + answer.share) / toMeasure.length;
        progress.tell(measuredPercent * share, `Reading sample ${answer.index + 1} of ${toMeasure.length}`);
      } else if (answer.kind === "measured") {
        qualities.set(answer.id, answer.quality);
        if (answer.id === consentId) continue;
        const { claim, leaseUntil } = context;
        const { id: sampleId, quality, derivedBytes } = answer;
        const step = { claim, leaseUntil: leaseUntil(), at: clock.now() };
        if (!(await context.patiently(() => store.measured({ ...step, sampleId, quality, derivedBytes }))))
          throw new ClaimLost();
      } else speakers = answer.speakers;
    }
    place.leave();
    const samples = stored.map((sample): Measured => ({ ...sample, quality: qualities.get(sample.id) ?? lostFile }));
    return { samples, speakers, consent: qualities.get(consentId) ?? null };
  }

  /** `source`: what it can be measured from; once the original is deleted, its clearest speech. */
  async function filesOf(clone: VoiceClone, sample: VoiceSample) {
    const original = await blobs.localPath(voiceFiles.original(clone.id, sample.id));
    const clipPath = await blobs.localPath(voiceFiles.clip(clone.id, sample.id));
    const framesPath = await blobs.localPath(voiceFiles.frames(clone.id, sample.id));
    const isUnusable = sample.quality?.verdict === "unusable";
    const isMeasured = sample.quality !== null && (isUnusable || (await sizeOf(framesPath)) !== null);
    const candidates = sample.hasOriginal ? [original, clipPath] : [clipPath];
    let source: string | null = null;
    for (const path of candidates) if (source === null && (await sizeOf(path)) !== null) source = path;
    return { original, clipPath, framesPath, isMeasured, source };
  }

  async function materialOf(clone: VoiceClone, measured: Measured[]): Promise<TrainingMaterial> {
    const usable = measured.filter(({ quality }) => quality.verdict !== "unusable").toSorted(bestFirst);
    const samples = await Promise.all(
      usable.map(async (sample): Promise<TrainingSample> => {
        const { original, clipPath, framesPath } = await filesOf(clone, sample);
        return {
          id: sample.id,
          fileName: sample.fileName,
          clip: { path: clipPath, seconds: clipSeconds((await sizeOf(clipPath)) ?? 0) },
          original: sample.hasOriginal ? { path: original, format: sample.format, bytes: sample.bytes } : null,
          framesPath,
          speechSeconds: sample.quality.measures?.speechSeconds ?? 0,
        };
      }),
    );
    const reference = await writeReference(
      blobs,
      clone.id,
      samples.map(({ clip }) => clip),
    );
    const { name, description, labels, settings } = clone;
    return { cloneId: clone.id, name, description, labels, settings, samples, reference };
  }

  /** Writes down what came of it; only this process knows, so it is not given up when the disk takes no writes. */
  async function finish(clone: VoiceClone, { claim, patiently }: JobContext, result: Result): Promise<JobEnd | null> {
    const { trained, end } = result;
    const isOurs = await patiently(() => store.endTraining({ claim, ...result }));
    if (!isOurs) {
      if (trained !== null) await engines[trained.engine]?.remove(trained.artefact, AbortSignal.timeout(30_000));
      await forgetIfGone(clone.id);
      return null;
    }
    log.info({ voiceId: clone.id, jobId: claim.id, outcome: end.kind, engine: clone.engine }, end.message);
    if (trained !== null && originals === "delete") await deleteOriginals(clone);
    return null;
  }

  async function deleteOriginals({ id, userId }: VoiceClone): Promise<void> {
    const stored = (await store.samples(userId, id)).filter(
      ({ hasOriginal, quality }) => hasOriginal && quality !== null,
    );
    // The rows first: a row never points at nothing, and files that nobody names are swept.
    await store.forgetOriginals(
      id,
      stored.map((sample) => sample.id),
    );
    for (const sample of stored) await blobs.remove(voiceFiles.original(id, sample.id));
  }

  async function forgetIfGone(cloneId: string): Promise<void> {
    if (!(await store.known([cloneId])).has(cloneId)) await removeFiles(cloneId);
  }

  function failed(message: string): JobEnd {
    return { kind: "failed", message, metadata: {}, at: clock.now() };
  }

  function postponed(job: Job, { reason, retryAfterSeconds }: { reason: string; retryAfterSeconds: number }): JobEnd {
    if (job.failures + 1 >= job.maxAttempts) return failed(`Given up after ${job.maxAttempts} attempts. ${reason}`);
    const at = clock.now();
    const runAt = at + retryAfterSeconds * 1000;
    return { kind: "again", message: reason, metadata: {}, at, runAt, countsAsAttempt: true };
  }

  return { type: "voice_training", concurrency: 1, run };
}

const lostFile: SampleQuality = {
  verdict: "unusable",
  problems: [{ code: "file_missing", message: "The file of this sample is gone: remove it and send it again." }],
  measures: null,
};

function bestFirst(a: { quality: SampleQuality }, b: { quality: SampleQuality }): number {
  const rank = ({ quality }: { quality: SampleQuality }) => sampleVerdicts.indexOf(quality.verdict);
  return rank(a) - rank(b) || (b.quality.measures?.speechSeconds ?? 0) - (a.quality.measures?.speechSeconds ?? 0);
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch {
    return null;
  }
}
