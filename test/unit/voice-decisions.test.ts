import { expect, test } from "bun:test";
import { array, assert, boolean, constantFrom, nat, property, record } from "fast-check";
import type { Retraining } from "../../src/features/voice/change-model.ts";
import {
  cloneStatusOf,
  countedClones,
  decideCreate,
  decideNewSamples,
  decideRemoval,
  decideRetraining,
  decideSampleRemoval,
  decideTrainingEnd,
  jobStatusesOf,
  storedBytes,
  type VoiceChange,
  type VoiceFacts,
} from "../../src/features/voice/decisions.ts";
import {
  cloneStatuses,
  defaultVoiceSettings,
  type VoiceClone,
  type VoiceSample,
} from "../../src/features/voice/model.ts";
import { jobStatuses, type Job } from "../../src/platform/jobs/model.ts";
import { changedJob, claimedJob } from "../../src/platform/jobs/transitions.ts";
import { startOfTests as now } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const workspaceId = "user";
const limits = { maxClones: 3, maxBytes: 100, maxSamples: 4 };

function sampleOf(cloneId: string, sha256: string, bytes: number): VoiceSample {
  const id = make.ids.next(now);
  const file = { format: "wav", bytes, sha256, fileName: `${id}.wav` } as const;
  return { id, cloneId, ...file, hasOriginal: true, derivedBytes: 0, quality: null, createdAt: now };
}

function trainingJob(): Job {
  return make.job(workspaceId, { type: "voice_training" });
}

function cloneOf(jobId: string): VoiceClone {
  return {
    ...{
      id: make.ids.next(now),
      workspaceId,
      name: "Ada",
      description: "",
      labels: {},
      settings: defaultVoiceSettings,
    },
    ...{ isActive: true, engine: "local", consent: null, quality: null, jobId, trainedAt: null },
    ...{ createdAt: now, updatedAt: now },
  };
}

/** The clones of one user. */
class World {
  readonly clones = new Map<string, VoiceClone>();
  readonly jobs = new Map<string, Job>();
  samples: VoiceSample[] = [];

  readonly facts: VoiceFacts = {
    clone: (user, id) => (user === workspaceId ? (this.clones.get(id) ?? null) : null),
    samples: (cloneId) => this.samples.filter((sample) => sample.cloneId === cloneId),
    job: (id) => this.jobs.get(id) ?? null,
    usage: () =>
      [...this.clones.values()].map(({ id, jobId, trainedAt, consent }) => ({
        ...{ id, trainedAt, jobStatus: this.jobs.get(jobId)!.status, recordingBytes: consent?.recording?.bytes ?? 0 },
        samples: this.facts.samples(id),
      })),
  };

  apply<Outcome>({ outcome, changes }: { outcome: Outcome; changes: readonly VoiceChange[] }): Outcome {
    for (const change of changes) this.#write(change);
    return outcome;
  }

  create(sample: VoiceSample, clone: VoiceClone, job: Job) {
    return this.apply(decideCreate({ clone, samples: [{ ...sample, cloneId: clone.id }], job, limits }, this.facts));
  }

  retraining(cloneId: string): Retraining {
    return { workspaceId, cloneId, job: trainingJob(), engine: "local", maxClones: limits.maxClones, at: now };
  }

  /** Claims the job of the clone and ends it. */
  train(cloneId: string, isGood: boolean): boolean {
    const clone = this.clones.get(cloneId)!;
    const job = this.jobs.get(clone.jobId)!;
    if (job.status !== "pending") return false;
    const running = changedJob(job, claimedJob(job, { isAbandoned: false, leaseUntil: now + 9, at: now })).job;
    this.jobs.set(job.id, running);
    const end = { kind: isGood ? "completed" : "failed", message: "Done", metadata: {}, at: now } as const;
    const trained = isGood ? ({ engine: "local", artefact: "a" } as const) : null;
    const claim = { id: job.id, attempt: running.attempt };
    return this.apply(decideTrainingEnd({ claim, quality: null, trained, end }, clone, this.facts));
  }

  #write(change: VoiceChange): void {
    switch (change.kind) {
      case "create":
        return void this.clones.set(change.clone.id, change.clone);
      case "update":
        return void this.clones.set(change.cloneId, { ...this.clones.get(change.cloneId)!, ...change.values });
      case "remove":
        this.samples = this.samples.filter(({ cloneId }) => cloneId !== change.cloneId);
        return void this.clones.delete(change.cloneId);
      case "addSamples":
        return void this.samples.push(...change.samples);
      case "removeSample":
        this.samples = this.samples.filter(({ id }) => id !== change.sampleId);
        return;
      case "newJob":
        return void this.jobs.set(change.job.id, change.job);
      case "job":
        return void this.jobs.set(change.job.id, changedJob(change.job, change.change).job);
      default:
    }
  }
}

const step = record({
  kind: constantFrom("create", "add", "removeSample", "retrain", "train", "remove"),
  n: nat(4),
  bytes: nat(30),
  file: constantFrom("a", "b", "c", "d", "e"),
  isGood: boolean(),
});

test("the limits of a user hold after any course of events, and each clone has samples and one open job at most", () => {
  assert(
    property(array(step, { maxLength: 60 }), (steps) => {
      const world = new World();
      for (const { kind, n, bytes, file, isGood } of steps) {
        const cloneId = [...world.clones.keys()][n] ?? "none";
        if (kind === "create") {
          const job = trainingJob();
          world.create(sampleOf("", file, bytes), cloneOf(job.id), job);
        } else if (kind === "add") {
          const request = { ...world.retraining(cloneId), ...limits, samples: [sampleOf(cloneId, file, bytes)] };
          world.apply(decideNewSamples(request, world.facts));
        } else if (kind === "removeSample") {
          const sampleId = world.facts.samples(cloneId)[0]?.id ?? "none";
          world.apply(decideSampleRemoval({ ...world.retraining(cloneId), sampleId }, world.facts));
        } else if (kind === "retrain") world.apply(decideRetraining(world.retraining(cloneId), world.facts));
        else if (kind === "train" && world.clones.has(cloneId)) world.train(cloneId, isGood);
        else world.apply(decideRemoval(workspaceId, cloneId, { at: now, audit: undefined }, world.facts));

        const usage = world.facts.usage(workspaceId);
        expect(countedClones(usage)).toBeLessThanOrEqual(limits.maxClones);
        expect(storedBytes(usage)).toBeLessThanOrEqual(limits.maxBytes);
        for (const { id } of world.clones.values()) {
          const hashes = world.facts.samples(id).map(({ sha256 }) => sha256);
          expect(hashes.length).toBeGreaterThan(0);
          expect(hashes.length).toBeLessThanOrEqual(limits.maxSamples);
          expect(new Set(hashes).size).toBe(hashes.length);
        }
        const current = new Set([...world.clones.values()].map(({ jobId }) => jobId));
        for (const job of world.jobs.values())
          if (!current.has(job.id)) expect(["completed", "failed"]).toContain(job.status);
      }
    }),
    { seed: 20_260_108, numRuns: 300 },
  );
});

test("a refusal says what is used, and changes nothing", () => {
  const world = new World();
  const job = trainingJob();
  const clone = cloneOf(job.id);
  expect(world.create(sampleOf("", "a", 101), clone, job)).toEqual({ kind: "noRoom", usedBytes: 0 });
  expect(world.create(sampleOf("", "a", 60), clone, job)).toEqual({ kind: "created" });
  const add = (sha256: string, bytes: number, maxSamples = 4) =>
    decideNewSamples(
      { ...world.retraining(clone.id), ...limits, maxSamples, samples: [sampleOf(clone.id, sha256, bytes)] },
      world.facts,
    );
  expect(add("a", 1).outcome).toMatchObject({ kind: "duplicate", sha256: "a" });
  expect(add("b", 41)).toEqual({ outcome: { kind: "noRoom", usedBytes: 60 }, changes: [] });
  expect(add("b", 1, 1)).toEqual({ outcome: { kind: "tooMany", count: 1 }, changes: [] });
  const [sample] = world.facts.samples(clone.id);
  const removal = { ...world.retraining(clone.id), sampleId: sample!.id };
  expect(decideSampleRemoval(removal, world.facts)).toEqual({ outcome: "last", changes: [] });
  expect(decideSampleRemoval({ ...removal, workspaceId: "somebody else" }, world.facts).outcome).toBe("absent");
});

test("a clone that failed before it was ever trained leaves room for another, until it is retrained", () => {
  const world = new World();
  const ids = Array.from({ length: limits.maxClones }, (_, n) => {
    const job = trainingJob();
    const clone = cloneOf(job.id);
    world.create(sampleOf("", `${n}`, 1), clone, job);
    return clone.id;
  });
  const another = trainingJob();
  const create = () => world.create(sampleOf("", "x", 1), cloneOf(another.id), another);
  expect(create()).toEqual({ kind: "tooMany", count: limits.maxClones });
  expect(world.train(ids[0]!, false)).toBe(true);
  expect(create()).toEqual({ kind: "created" });
  expect(decideRetraining(world.retraining(ids[0]!), world.facts).outcome).toBe("tooManyClones");
  expect(decideRetraining(world.retraining(ids[1]!), world.facts).outcome).toBe("begun");
});

test("a newer training, or the removal of the clone, ends the one before", () => {
  const world = new World();
  const job = trainingJob();
  const clone = cloneOf(job.id);
  world.create(sampleOf("", "a", 1), clone, job);
  world.apply(decideRetraining(world.retraining(clone.id), world.facts));
  expect(world.jobs.get(job.id)).toMatchObject({ status: "failed", metadata: { canceled: true } });
  const newer = world.clones.get(clone.id)!.jobId;
  const { outcome, changes } = decideRemoval(workspaceId, clone.id, { at: now, audit: undefined }, world.facts);
  expect(outcome).toBe(true);
  expect(changes.map(({ kind }) => kind)).toEqual(["job", "remove", "audit", "event"]);
  world.apply({ outcome, changes });
  expect(world.jobs.get(newer)).toMatchObject({ status: "failed", message: "The voice clone was deleted." });
});

test("each status of a job is that of a clone", () => {
  for (const jobStatus of jobStatuses)
    expect(cloneStatuses.filter((status) => jobStatusesOf[status].some((each) => each === jobStatus))).toEqual([
      cloneStatusOf(jobStatus),
    ]);
});
