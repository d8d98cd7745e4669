import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import {
  defaultVoiceSettings,
  type CloneQuality,
  type SampleQuality,
  type VoiceClone,
  type VoiceSample,
} from "../../src/features/voice/model.ts";
import type { NewClone } from "../../src/features/voice/change-model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories, type Factories } from "../support/factories.ts";

const roomy = { maxClones: 100, maxBytes: 1e9 };
const good: SampleQuality = { verdict: "good", problems: [], measures: null };
const quality: CloneQuality = {
  verdict: "good",
  usableSamples: 1,
  speechSeconds: 30,
  speakers: 1,
  problems: [],
  notes: ["n"],
};

function trainingOf(make: Factories, workspaceId: string, overrides: Partial<Job> = {}): Job {
  return make.job(workspaceId, { type: "voice_training", ...overrides });
}

function newClone(make: Factories, workspaceId: string, overrides: Partial<VoiceClone> = {}, files = 1): NewClone {
  const job = trainingOf(make, workspaceId);
  const clone: VoiceClone = {
    id: make.ids.next(startOfTests),
    workspaceId,
    name: "Ada",
    description: "warm",
    labels: { language: "en" },
    settings: defaultVoiceSettings,
    isActive: true,
    engine: "local",
    consent: null,
    quality: null,
    jobId: job.id,
    trainedAt: null,
    createdAt: startOfTests,
    updatedAt: startOfTests,
    ...overrides,
  };
  const samples = Array.from({ length: files }, () => sampleOf(make, clone.id));
  return { clone, samples, job, limits: roomy };
}

function sampleOf(make: Factories, cloneId: string, overrides: Partial<VoiceSample> = {}): VoiceSample {
  const id = make.ids.next(startOfTests);
  return {
    id,
    cloneId,
    fileName: `${id}.wav`,
    format: "wav",
    bytes: 1000,
    sha256: `hash of ${id}`,
    hasOriginal: true,
    derivedBytes: 0,
    quality: null,
    createdAt: startOfTests,
    ...overrides,
  };
}

/** A claim of the training of a clone that was just stored. */
async function claimed(storage: Storage) {
  const [job] = await storage.jobs.claim({
    type: "voice_training",
    limit: 1,
    now: startOfTests,
    leaseUntil: startOfTests + 60_000,
  });
  if (job === undefined) throw new Error("Expected a due training");
  const claim = { id: job.id, attempt: job.attempt };
  return { claim, step: { claim, leaseUntil: startOfTests + 90_000, at: startOfTests + 1 } };
}

const completed = { kind: "completed", message: "Ready", metadata: {}, at: startOfTests + 5 } as const;
const failed = { kind: "failed", message: "Too little speech", metadata: {}, at: startOfTests + 5 } as const;

describe.each(enginesAndPostgres)("voices on $name", ({ open }) => {
  async function setUp() {
    const opened = await open();
    const make = createFactories();
    const { storage } = opened;
    const ada = (await make.storedUser(storage)).user.id;
    const bob = (await make.storedUser(storage)).user.id;
    const store = async (workspaceId: string, overrides: Partial<VoiceClone> = {}, files = 1) => {
      const request = newClone(make, workspaceId, overrides, files);
      expect(await storage.voices.create(request)).toEqual({ kind: "created" });
      return request;
    };
    return {
      opened,
      storage,
      voices: storage.voices,
      make,
      ada,
      bob,
      store,
      [Symbol.asyncDispose]: () => opened.close(),
    };
  }

  test("a clone is stored with its samples and its training, and is its owner's alone", async () => {
    await using set = await setUp();
    const { voices, storage, ada, bob, store } = set;
    const { clone, samples, job } = await store(ada, {}, 2);
    const state = { ...clone, sampleCount: 2, status: "processing", progress: 0, message: job.message } as const;
    expect(await voices.get(ada, clone.id)).toEqual(state);
    expect(await voices.samples(ada, clone.id)).toEqual(samples);
    expect(await storage.jobs.get(ada, job.id)).toEqual(job);
    expect(await voices.get(bob, clone.id)).toBeNull();
    expect(await voices.samples(bob, clone.id)).toEqual([]);
    expect(await voices.update(bob, clone.id, { name: "mine" }, startOfTests)).toBeNull();
    expect(await voices.remove(bob, clone.id, startOfTests)).toBe(false);
    expect(await set.opened.reopen().then((again) => again.voices.get(ada, clone.id))).toEqual(state);
  });

  test("clones that come at once don't pass the limit of their user", async () => {
    await using set = await setUp();
    const { voices, make, ada, bob, store } = set;
    await store(bob);
    const limits = { maxClones: 3, maxBytes: 1e9 };
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => voices.create({ ...newClone(make, ada), limits })),
    );
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([
      "created",
      "created",
      "created",
      "tooMany",
      "tooMany",
    ]);
    expect(outcomes.find(({ kind }) => kind === "tooMany")).toEqual({ kind: "tooMany", count: 3 });
    expect(await voices.countClones(ada)).toBe(3);
    expect(await voices.countClones(bob)).toBe(1);
  });

  test("a clone that failed and never spoke takes no place, and none is trained into a place that is taken", async () => {
    await using set = await setUp();
    const { voices, storage, make, ada, store } = set;
    const { clone } = await store(ada);
    const { claim } = await claimed(storage);
    await voices.endTraining({ claim, quality: null, trained: null, end: failed });
    expect(await voices.countClones(ada)).toBe(0);
    const next = await store(ada);
    expect(await voices.countClones(ada)).toBe(1);
    const again = () => ({
      ...{ workspaceId: ada, cloneId: clone.id, job: trainingOf(make, ada), engine: "local" as const },
      ...{ maxClones: 1, at: startOfTests + 9 },
    });
    expect(await voices.retrain(again())).toBe("tooManyClones");
    const files = { samples: [sampleOf(make, clone.id)], maxSamples: 3, maxBytes: 1e6 };
    expect(await voices.addSamples({ ...again(), ...files })).toEqual({ kind: "tooManyClones", count: 1 });
    expect(await voices.samples(ada, clone.id)).toHaveLength(1);
    expect(await voices.retrain({ ...again(), cloneId: next.clone.id })).toBe("begun");
    expect(await voices.retrain({ ...again(), maxClones: 2 })).toBe("begun");
    expect(await voices.countClones(ada)).toBe(2);
  });

  test("clones that failed before a time and never spoke are found, others are not", async () => {
    await using set = await setUp();
    const { voices, storage, make, ada, store } = set;
    const trained = await store(ada);
    const first = await claimed(storage);
    await voices.endTraining({
      claim: first.claim,
      quality,
      trained: { engine: "local", artefact: "{}" },
      end: completed,
    });
    await voices.retrain({
      ...{ workspaceId: ada, cloneId: trained.clone.id, job: trainingOf(make, ada), engine: "local" },
      ...{ maxClones: 5, at: startOfTests },
    });
    const second = await claimed(storage);
    await voices.endTraining({ claim: second.claim, quality: null, trained: null, end: failed });
    const { clone } = await store(ada);
    const third = await claimed(storage);
    await voices.endTraining({ claim: third.claim, quality: null, trained: null, end: failed });
    expect(await voices.failedBefore(failed.at, 10)).toEqual([]);
    expect(await voices.failedBefore(failed.at + 1, 10)).toEqual([{ workspaceId: ada, id: clone.id }]);
  });

  test("the bytes of a user are those of files that are there: samples, what was learned, recordings of consent", async () => {
    await using set = await setUp();
    const { voices, storage, make, ada, store } = set;
    const recording = { format: "wav", bytes: 300, sha256: "x" } as const;
    const attestedBy = { userId: ada, keyId: "k", keyName: "key" };
    const consent = { speakerName: "Ada", statement: "yes", attestedBy, attestedAt: startOfTests, recording };
    const { clone, samples } = await store(ada, { consent }, 2);
    expect(await voices.storedBytes(ada)).toBe(2300);
    const { step } = await claimed(storage);
    expect(await voices.saveMeasurement({ ...step, sampleId: samples[0]!.id, quality: good, derivedBytes: 50 })).toBe(
      true,
    );
    await voices.markOriginalsDeleted(clone.id, [samples[0]!.id]);
    expect(await voices.storedBytes(ada)).toBe(1350);
    expect((await voices.samples(ada, clone.id))[0]).toMatchObject({
      hasOriginal: false,
      quality: good,
      derivedBytes: 50,
    });
    const limits = { maxClones: 9, maxBytes: 2349 };
    expect(await voices.create({ ...newClone(make, ada), limits })).toEqual({ kind: "noRoom", usedBytes: 1350 });
    expect(await voices.create({ ...newClone(make, ada), limits: { ...limits, maxBytes: 2350 } })).toEqual({
      kind: "created",
    });
  });

  test("lists are newest first, by status, with their total", async () => {
    await using set = await setUp();
    const { voices, storage, ada, bob, store } = set;
    await store(bob);
    const old = await store(ada, { createdAt: startOfTests - 2 });
    const ready = await store(ada, { createdAt: startOfTests - 1 });
    const fresh = await store(ada);
    await storage.jobs.cancel(ada, old.job.id, startOfTests);
    for (let i = 0; i < 3; i++) {
      const { claim } = await claimed(storage);
      if (claim.id === ready.job.id)
        await voices.endTraining({ claim, quality, trained: { engine: "local", artefact: "{}" }, end: completed });
    }
    const idsOf = async (status: "processing" | "ready" | "failed" | null, limit = 10, offset = 0) => {
      const { clones, total, matching } = await voices.page({ workspaceId: ada, status, limit, offset });
      expect(total).toBe(3);
      return [clones.map(({ id }) => id), matching];
    };
    expect(await idsOf(null)).toEqual([[fresh.clone.id, ready.clone.id, old.clone.id], 3]);
    expect(await idsOf(null, 1, 1)).toEqual([[ready.clone.id], 3]);
    expect(await idsOf("processing")).toEqual([[fresh.clone.id], 1]);
    expect(await idsOf("ready")).toEqual([[ready.clone.id], 1]);
    expect(await idsOf("failed")).toEqual([[old.clone.id], 1]);
  });

  test("a training writes only while its claim holds, and ends together with its clone", async () => {
    await using set = await setUp();
    const { voices, storage, ada, store } = set;
    const { clone, samples, job } = await store(ada);
    const { claim, step } = await claimed(storage);
    const stale = { ...step, claim: { ...claim, attempt: claim.attempt - 1 } };
    const sampleId = samples[0]!.id;
    expect(await voices.training(job.id)).toEqual({ clone, samples });
    expect(await voices.updateProgress({ ...stale, progress: 10, message: "no" })).toBe(false);
    expect(await voices.saveMeasurement({ ...stale, sampleId, quality: good, derivedBytes: 1 })).toBe(false);
    expect(await voices.endTraining({ claim: stale.claim, quality, trained: null, end: failed })).toBe(false);
    expect(await voices.updateProgress({ ...step, progress: 40, message: "Reading" })).toBe(true);
    expect(await voices.get(ada, clone.id)).toMatchObject({
      status: "processing",
      progress: 40,
      message: "Reading",
      quality: null,
    });
    const trained = { engine: "cartesia", artefact: "voice 1" } as const;
    expect(await voices.endTraining({ claim, quality, trained, end: completed })).toBe(true);
    expect(await voices.get(ada, clone.id)).toMatchObject({
      status: "ready",
      progress: 100,
      quality,
      trainedAt: completed.at,
    });
    expect(await voices.artefact(clone.id)).toEqual(trained);
    expect(await voices.endTraining({ claim, quality, trained, end: completed })).toBe(false);
  });

  test("a failed training says why, and keeps the voice that an earlier one made", async () => {
    await using set = await setUp();
    const { voices, storage, make, ada, store } = set;
    const { clone } = await store(ada);
    const first = await claimed(storage);
    await voices.endTraining({
      claim: first.claim,
      quality,
      trained: { engine: "local", artefact: "{}" },
      end: completed,
    });
    const again = {
      workspaceId: ada,
      cloneId: clone.id,
      job: trainingOf(make, ada),
      engine: "xtts",
      maxClones: 1,
      at: startOfTests + 6,
    } as const;
    expect(await voices.retrain(again)).toBe("begun");
    expect(await voices.get(ada, clone.id)).toMatchObject({
      status: "processing",
      trainedAt: completed.at,
      engine: "xtts",
    });
    const second = await claimed(storage);
    await voices.endTraining({ claim: second.claim, quality: null, trained: null, end: failed });
    expect(await voices.get(ada, clone.id)).toMatchObject({
      status: "failed",
      message: "Too little speech",
      trainedAt: completed.at,
    });
    expect(await voices.artefact(clone.id)).toEqual({ engine: "local", artefact: "{}" });
  });

  test("samples are added and removed with a new training, which makes the claim of the old one void", async () => {
    await using set = await setUp();
    const { voices, storage, make, ada, bob, store } = set;
    const { clone, samples, job } = await store(ada);
    const { step } = await claimed(storage);
    const next = () => ({
      cloneId: clone.id,
      job: trainingOf(make, ada),
      engine: "local" as const,
      maxClones: 1,
      at: startOfTests + 2,
    });
    const added = sampleOf(make, clone.id, { createdAt: startOfTests + 1 });
    const add = (workspaceId: string, file: VoiceSample, rules = { maxSamples: 3, maxBytes: 1e6 }) =>
      voices.addSamples({ ...next(), ...rules, workspaceId, samples: [file] });
    expect(await add(bob, added)).toEqual({ kind: "absent" });
    expect(await add(ada, { ...added, sha256: samples[0]!.sha256 })).toMatchObject({ kind: "duplicate" });
    expect(await add(ada, added, { maxSamples: 1, maxBytes: 1e6 })).toEqual({ kind: "tooMany", count: 1 });
    expect(await add(ada, added, { maxSamples: 3, maxBytes: 1999 })).toEqual({ kind: "noRoom", usedBytes: 1000 });
    expect(await voices.updateProgress({ ...step, progress: 1, message: "still ours" })).toBe(true);
    expect(await add(ada, added)).toEqual({ kind: "added" });
    expect(await voices.updateProgress({ ...step, progress: 2, message: "void" })).toBe(false);
    expect(await storage.jobs.get(ada, job.id)).toMatchObject({
      status: "failed",
      message: expect.stringContaining("newer"),
    });
    expect(await voices.training(job.id)).toBeNull();
    expect(await voices.get(ada, clone.id)).toMatchObject({ sampleCount: 2, status: "processing" });
    const remove = (workspaceId: string, sampleId: string) => voices.removeSample({ ...next(), workspaceId, sampleId });
    expect(await remove(bob, added.id)).toBe("absent");
    expect(await remove(ada, samples[0]!.id)).toBe("removed");
    expect(await remove(ada, samples[0]!.id)).toBe("absent");
    expect(await remove(ada, added.id)).toBe("last");
    expect(await voices.findClones([clone.id, "nothing"])).toEqual(new Map([[clone.id, new Set([added.id])]]));
  });

  test("what a vendor keeps is queued for removal when its clone goes or is trained anew; nothing of our own is", async () => {
    await using set = await setUp();
    const { voices, storage, make, ada, store } = set;
    const train = async (engine: "local" | "cartesia", artefact: string) => {
      const { claim } = await claimed(storage);
      await voices.endTraining({ claim, quality, trained: { engine, artefact }, end: completed });
    };
    const { clone } = await store(ada);
    await train("cartesia", "first");
    await voices.retrain({
      workspaceId: ada,
      cloneId: clone.id,
      job: trainingOf(make, ada),
      engine: "cartesia",
      maxClones: 5,
      at: startOfTests,
    });
    await train("cartesia", "second");
    const own = await store(ada);
    await train("local", "{}");
    expect(await voices.remove(ada, clone.id, startOfTests)).toBe(true);
    expect(await voices.remove(ada, own.clone.id, startOfTests)).toBe(true);
    const due = await voices.removals(10, startOfTests);
    expect(due.map(({ engine, artefact, failures }) => ({ engine, artefact, failures }))).toEqual([
      { engine: "cartesia", artefact: "first", failures: 0 },
      { engine: "cartesia", artefact: "second", failures: 0 },
    ]);
    await voices.removalDone(due[0]!.id);
    await voices.removalFailed(due[1]!.id, startOfTests + 10);
    expect(await voices.removals(10, startOfTests + 9)).toEqual([]);
    expect(await voices.removals(10, startOfTests + 10)).toMatchObject([{ artefact: "second", failures: 1 }]);
  });

  test("a deleted clone takes its samples and its running training with it", async () => {
    await using set = await setUp();
    const { voices, storage, ada, store } = set;
    const { clone, job } = await store(ada);
    const { step } = await claimed(storage);
    expect(await voices.remove(ada, clone.id, startOfTests)).toBe(true);
    expect(await voices.get(ada, clone.id)).toBeNull();
    expect(await voices.findClones([clone.id])).toEqual(new Map());
    expect(await voices.storedBytes(ada)).toBe(0);
    expect(await voices.updateProgress({ ...step, progress: 2, message: "void" })).toBe(false);
    expect(await storage.jobs.get(ada, job.id)).toMatchObject({
      status: "failed",
      message: expect.stringContaining("deleted"),
    });
  });
});
