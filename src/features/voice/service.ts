import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import { multiLine, singleLine } from "../../platform/base/clean-text.ts";
import type { Clock } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Ids } from "../../platform/base/ids.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import { consentOf, refuseIncomplete, samplesOf, settingsWith, trainingJob } from "./clone-parts.ts";
import { formValues, type FormCheck } from "./form.ts";
import { ownerOf, voiceFiles } from "./files.ts";
import {
  defaultVoiceSettings,
  maxSampleBytes,
  maxSamples,
  type CloneForm,
  type CloneStatus,
  type CloneUpdate,
  type Consent,
  type ConsentMode,
  type VoiceClone,
  type VoiceCloneState,
  type VoiceEngineName,
  type VoiceSample,
} from "./model.ts";
import { receiveForm, type ReceivedForm, type Upload } from "./receive.ts";
import { noRoom, tooManyClones, tooManySamples } from "./refusals.ts";
import type { AddOutcome, Retraining, VoiceStore } from "./store.ts";

export type VoiceRules = {
  engine: VoiceEngineName;
  maxClones: number;
  /** Of all files of a user. */
  maxBytes: number;
  consent: ConsentMode;
  upgradeUrl: string;
};

export type VoiceParts = {
  store: VoiceStore;
  blobs: BlobStore;
  rules: VoiceRules;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Tells the runner that something may be due. */
  poke: () => void;
  /** Clones whose files are on their way in: on disk, and not yet in the store. Shared by all who take files in. */
  arriving: Set<string>;
  /** What was made of a clone beside its own files, such as speech in its voice, goes as well. */
  onRemoved: (cloneId: string) => Promise<void>;
};

/** So long a user can see why a training failed, and mend it. */
const failedKeptMs = 7 * 86_400_000;
const forgottenAtOnce = 100;

/** Voice clones: taken in, listed, changed, deleted. Training is the job's part. */
export class VoiceService {
  readonly #parts: VoiceParts;
  constructor(parts: VoiceParts) {
    this.#parts = parts;
  }

  /**
   * Takes a form in and starts the training. Files are on disk before the clone exists; when anything goes wrong, also
   * when the client goes away, nothing of them stays. Throws the refusals of `receiveForm`, VALIDATION_ERROR for
   * fields, VOICE_CLONE_LIMIT_EXCEEDED, and PAYLOAD_TOO_LARGE when the user's storage is full.
   */
  async create(caller: Caller, userId: string, upload: Upload, check: FormCheck): Promise<VoiceCloneState> {
    const { store, rules, clock, ids } = this.#parts;
    const count = await store.countOf(userId);
    if (count >= rules.maxClones) throw this.#tooManyClones(count);
    await this.#requireRoom(userId, upload);
    const id = ids.next(clock.now());
    return await this.#whileArriving(id, upload, maxSamples, check, async (form) => {
      const values = check(formValues(form.fields), true) as CloneForm;
      const name = singleLine(values.name);
      const consent = consentOf(values.consent, form, caller, userId, clock.now());
      refuseIncomplete(name, form, values.consent, rules.consent);
      const now = clock.now();
      const clone: VoiceClone = {
        id,
        userId,
        name,
        description: multiLine(values.description ?? ""),
        labels: values.labels ?? {},
        settings: settingsWith(defaultVoiceSettings, values.settings),
        isActive: true,
        engine: rules.engine,
        consent,
        quality: null,
        jobId: ids.next(now),
        trainedAt: null,
        createdAt: now,
        updatedAt: now,
      };
      const samples = samplesOf(id, form, now);
      const job = trainingJob(clone, clone.jobId, now);
      const consented = consent && {
        action: "voice.consented" as const,
        userId,
        target: { type: "voice", id },
        details: { hasRecording: consent.recording !== null },
      };
      const audit = consented && auditEntry(caller, now, consented);
      const outcome = await store.create({ clone, samples, job, limits: rules, ...(audit && { audit }) });
      if (outcome.kind === "tooMany") throw this.#tooManyClones(outcome.count);
      if (outcome.kind === "noRoom") throw noRoom(outcome.usedBytes, rules.maxBytes);
      this.#parts.poke();
      if (consent !== null) this.#logConsent(clone, consent, caller);
      return { ...clone, sampleCount: samples.length, status: "processing", progress: 0, message: job.message };
    });
  }

  /** Once it is stored for good: the answer may be on its way before that, and if it does not hold, the client is told so. */
  #logConsent({ id, userId }: VoiceClone, { speakerName, recording }: Consent, { keyId }: Caller): void {
    const { store, log } = this.#parts;
    const fields = { audit: "voice-consent", voiceId: id, userId, keyId, speaker: speakerName };
    void store.durable().then(
      () => log.info({ ...fields, hasRecording: recording !== null }, "consent to a voice clone was attested"),
      () => {},
    );
  }

  /** Newest first; `total` counts all of the user's, `matching` those that have the status. */
  page(userId: string, status: CloneStatus | null, limit: number, offset: number, after: TimePlace | null) {
    return this.#parts.store.page({ userId, status, limit, offset, after });
  }

  /** NOT_FOUND for an unknown one, here and below. */
  async get(userId: string, id: string): Promise<VoiceCloneState> {
    const clone = await this.#parts.store.get(userId, id);
    if (clone === null) throw notFound("voice clone", id);
    return clone;
  }

  async update(userId: string, id: string, change: CloneUpdate): Promise<VoiceCloneState> {
    const { store, clock } = this.#parts;
    const { name, description, settings, ...rest } = change;
    if (name !== undefined && singleLine(name) === "")
      throw invalid([{ path: "name", message: "Expected a text that is not empty." }]);
    const before = await this.get(userId, id);
    const changed = await store.update(
      userId,
      id,
      {
        ...rest,
        ...(name !== undefined && { name: singleLine(name) }),
        ...(description !== undefined && { description: multiLine(description) }),
        ...(settings !== undefined && { settings: settingsWith(before.settings, settings) }),
      },
      clock.now(),
    );
    if (changed === null) throw notFound("voice clone", id);
    return changed;
  }

  /** Deletes the clone, its files and what was made of them; a vendor's copy is queued for deletion. */
  async remove(caller: Caller, userId: string, id: string): Promise<VoiceCloneState> {
    const { store, clock, log, onRemoved } = this.#parts;
    const clone = await this.get(userId, id);
    const now = clock.now();
    const event = { action: "voice.deleted", userId, target: { type: "voice", id } } as const;
    if (!(await store.remove(userId, id, now, auditEntry(caller, now, event)))) throw notFound("voice clone", id);
    log.info({ audit: "voice-deleted", voiceId: id, userId, keyId: caller.keyId }, "a voice clone was deleted");
    await this.removeFiles(id);
    await onRemoved(id);
    return clone;
  }

  samples(userId: string, id: string): Promise<VoiceSample[]> {
    return this.#parts.store.samples(userId, id);
  }

  /** Where the file of a sample can be read from; NOT_FOUND when it is unknown or was deleted after the training. */
  async original(userId: string, id: string, sampleId: string): Promise<{ sample: VoiceSample; path: string }> {
    await this.get(userId, id);
    const sample = (await this.samples(userId, id)).find((each) => each.id === sampleId);
    if (sample === undefined) throw notFound("voice sample", sampleId);
    if (!sample.hasOriginal)
      throw new ApiError("NOT_FOUND", {
        message: "This recording was deleted after the training, as this service is set up to do. Its report is kept.",
        details: { resource: "voice sample", id: sampleId },
      });
    return { sample, path: await this.#parts.blobs.localPath(voiceFiles.original(id, sampleId)) };
  }

  /** Where the recording of consent can be read from. */
  async consentRecording(userId: string, id: string): Promise<{ consent: Consent; path: string }> {
    const { consent } = await this.get(userId, id);
    if (!consent?.recording) throw notFound("recording of consent", id);
    return { consent, path: await this.#parts.blobs.localPath(voiceFiles.consent(id)) };
  }

  /** Takes more samples in and trains again. Refusals as on creation. */
  async addSamples(userId: string, id: string, upload: Upload, check: FormCheck): Promise<VoiceCloneState> {
    const { store, rules, clock } = this.#parts;
    const clone = await this.get(userId, id);
    const room = maxSamples - clone.sampleCount;
    if (room <= 0) throw tooManySamples(clone.sampleCount);
    await this.#requireRoom(userId, upload);
    return await this.#whileArriving(id, upload, room, check, async (form) => {
      if (form.files.length === 0) throw invalid([{ path: "files", message: "Send at least one file." }]);
      if (form.consentRecording !== null)
        throw invalid([{ path: "consentRecording", message: "Consent is given when the clone is made." }]);
      const now = clock.now();
      const samples = samplesOf(id, form, now);
      const limits = { maxSamples, maxBytes: rules.maxBytes };
      const outcome = await store.addSamples({ ...this.#retraining(clone, now), ...limits, samples });
      if (outcome.kind === "tooManyClones") throw this.#tooManyClones(outcome.count);
      refuseAddition(outcome, id, rules.maxBytes);
      this.#parts.poke();
      return await this.get(userId, id);
    });
  }

  /** Deletes a sample and trains again. CONFLICT for the last one. */
  async removeSample(userId: string, id: string, sampleId: string): Promise<VoiceCloneState> {
    const { store, clock, blobs, poke } = this.#parts;
    const clone = await this.get(userId, id);
    const outcome = await store.removeSample({ ...this.#retraining(clone, clock.now()), sampleId });
    if (outcome === "absent") throw notFound("voice sample", sampleId);
    if (outcome === "tooManyClones") throw this.#tooManyClones(await store.countOf(userId));
    if (outcome === "last")
      throw new ApiError("CONFLICT", {
        message: "A clone needs a sample: add another one first, or delete the clone.",
      });
    for (const kind of ["original", "clip", "frames"] as const) await blobs.remove(voiceFiles[kind](id, sampleId));
    poke();
    return await this.get(userId, id);
  }

  /** Trains again with the same samples, with the engine that is configured now. */
  async retrain(userId: string, id: string): Promise<VoiceCloneState> {
    const { store, clock, poke } = this.#parts;
    const clone = await this.get(userId, id);
    const outcome = await store.retrain(this.#retraining(clone, clock.now()));
    if (outcome === "absent") throw notFound("voice clone", id);
    if (outcome === "tooManyClones") throw this.#tooManyClones(await store.countOf(userId));
    poke();
    return await this.get(userId, id);
  }

  /** Deletes clones that failed a week ago and never spoke. Returns how many. */
  async forgetFailed(): Promise<number> {
    const { store, clock, onRemoved } = this.#parts;
    const now = clock.now();
    const failed = await store.failedBefore(now - failedKeptMs, forgottenAtOnce);
    for (const { userId, id } of failed) {
      const event = { action: "voice.deleted", userId, target: { type: "voice", id } } as const;
      await store.remove(userId, id, now, auditEntry(null, now, event));
      await this.removeFiles(id);
      await onRemoved(id);
    }
    return failed.length;
  }

  /** Removes all files of a clone. */
  async removeFiles(cloneId: string): Promise<void> {
    const { blobs } = this.#parts;
    for (const name of await blobs.list(voiceFiles.folder))
      if (ownerOf(name).cloneId === cloneId) await blobs.remove(name);
  }

  /** Removes files that no clone has: of uploads that a crash cut off, and of deletions. Answers how many. */
  async sweep(): Promise<number> {
    const { blobs } = this.#parts;
    const byClone = Map.groupBy(await blobs.list(voiceFiles.folder), (name) => ownerOf(name).cloneId);
    let removed = 0;
    for (const [cloneId, names] of byClone) {
      if (this.#parts.arriving.has(cloneId)) continue;
      removed += await this.#removeOrphans(cloneId, names);
    }
    return removed;
  }

  /** Removes those of these files of a clone that it does not have. Answers how many. */
  async #removeOrphans(cloneId: string, names: readonly string[]): Promise<number> {
    const { store, blobs } = this.#parts;
    const samples = (await store.known([cloneId])).get(cloneId);
    const orphans = names.filter((name) => {
      const { sampleId } = ownerOf(name);
      return samples === undefined || (sampleId !== null && !samples.has(sampleId));
    });
    for (const name of orphans) await blobs.remove(name);
    return orphans.length;
  }

  /** Takes a form in, and its files away again unless `store` makes use of them. */
  async #whileArriving<T>(
    cloneId: string,
    upload: Upload,
    maxFiles: number,
    check: FormCheck,
    use: (form: ReceivedForm) => Promise<T>,
  ): Promise<T> {
    const { blobs, ids, clock } = this.#parts;
    const taken: string[] = [];
    this.#parts.arriving.add(cloneId);
    try {
      const blobNameFor = (kind: "sample" | "consent") =>
        kind === "consent" ? voiceFiles.consent(cloneId) : voiceFiles.original(cloneId, ids.next(clock.now()));
      const checkEarly = (fields: ReadonlyMap<string, string>) => void check(formValues(fields), false);
      const rules = { maxFiles, maxFileBytes: maxSampleBytes, blobNameFor, checkEarly };
      const made = await use(await receiveForm(upload, blobs, rules, taken));
      // With an Idempotency-Key it is committed together with the answer, which is made after this. Rejects with the disk
      // only: the next sweep takes what is left then.
      void pause()
        .then(() => this.#removeOrphans(cloneId, taken))
        .catch(() => {});
      return made;
    } catch (error) {
      await Promise.allSettled(taken.map((name) => blobs.remove(name)));
      throw error;
    } finally {
      this.#parts.arriving.delete(cloneId);
    }
  }

  /** What is announced tells before anything is read that there will be no room. */
  async #requireRoom(userId: string, { announcedBytes }: Upload): Promise<void> {
    const { store, rules } = this.#parts;
    const usedBytes = await store.bytesOf(userId);
    if (usedBytes + (announcedBytes ?? 0) > rules.maxBytes) throw noRoom(usedBytes, rules.maxBytes);
  }

  #tooManyClones(count: number): ApiError {
    const { maxClones, upgradeUrl } = this.#parts.rules;
    return tooManyClones(count, maxClones, upgradeUrl);
  }

  #retraining(clone: VoiceClone, at: number): Retraining {
    const { ids, rules } = this.#parts;
    const job = trainingJob(clone, ids.next(at), at);
    const { engine, maxClones } = rules;
    return { userId: clone.userId, cloneId: clone.id, job, engine, maxClones, at };
  }
}

function refuseAddition(outcome: Exclude<AddOutcome, { kind: "tooManyClones" }>, id: string, maxBytes: number): void {
  switch (outcome.kind) {
    case "added":
      return;
    case "absent":
      throw notFound("voice clone", id);
    case "tooMany":
      throw tooManySamples(outcome.count);
    case "noRoom":
      throw noRoom(outcome.usedBytes, maxBytes);
    case "duplicate":
      throw invalid([{ path: "files", message: `This clone has the recording ${outcome.fileName} already.` }]);
  }
}
