import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";
import { mayBeOrphan } from "../../platform/blobs/orphans.ts";
import { multiLine, singleLine } from "../../platform/base/text.ts";
import type { Clock, Ids } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import { consentOf, rejectIncomplete, samplesOf, settingsWith, trainingJob } from "./clone-parts.ts";
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
import { storageLimitError, cloneLimitError, sampleLimitError } from "./limit-errors.ts";
import type { AddOutcome, Retraining } from "./change-model.ts";
import type { VoiceStore } from "./store.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { Acting } from "../../platform/auth/access.ts";

export type VoiceRules = {
  engine: VoiceEngineName;
  maxClones: number;
  /** Storage limit per user. */
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
  /** Signals that a job may be due. */
  onJobSubmitted: () => void;
  /** Clones whose files are on disk but not yet in the store. Shared by everything that receives uploads. */
  uploading: Set<string>;
  /** Removes data derived from a clone, such as cached speech. */
  onRemoved: (cloneId: string) => Promise<void>;
};

/** Time for users to see and fix a failed training. */
const failedRetentionMs = 7 * 86_400_000;
const cleanupBatchSize = 100;

/** Creates, lists, updates, and deletes voice clones. Training is done by a job. */
export class VoiceService {
  readonly #parts: VoiceParts;
  constructor(parts: VoiceParts) {
    this.#parts = parts;
  }

  /**
   * Receives a form and starts the training. Files are on disk before the clone exists; if anything fails or the client
   * disconnects, they are deleted. Throws the errors of `receiveForm`, VALIDATION_ERROR for invalid fields,
   * VOICE_CLONE_LIMIT_EXCEEDED, and PAYLOAD_TOO_LARGE if the user's storage is full.
   */
  async create(caller: Caller, workspaceId: WorkspaceId, upload: Upload, check: FormCheck): Promise<VoiceCloneState> {
    const { store, rules, clock, ids } = this.#parts;
    const count = await store.countClones(workspaceId);
    if (count >= rules.maxClones) throw this.#tooManyClones(count);
    await this.#requireStorage(workspaceId, upload);
    const id = ids.next(clock.now());
    return await this.#receiveForm(id, upload, maxSamples, check, async (form) => {
      const values = check(formValues(form.fields), true) as CloneForm;
      const name = singleLine(values.name);
      const consent = consentOf(values.consent, form, caller, workspaceId, clock.now());
      rejectIncomplete(name, form, values.consent, rules.consent);
      const now = clock.now();
      const clone: VoiceClone = {
        id,
        workspaceId,
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
      const job = trainingJob(clone, clone.jobId, caller.userId, now);
      const consented = consent && {
        action: "voice.consented" as const,
        workspaceId,
        target: { type: "voice", id },
        details: { hasRecording: consent.recording !== null },
      };
      const audit = consented && auditEntry(caller, now, consented);
      const outcome = await store.create({ clone, samples, job, limits: rules, ...(audit && { audit }) });
      if (outcome.kind === "tooMany") throw this.#tooManyClones(outcome.count);
      if (outcome.kind === "noRoom") throw storageLimitError(outcome.usedBytes, rules.maxBytes);
      this.#parts.onJobSubmitted();
      if (consent !== null) this.#logConsent(clone, consent, caller);
      return { ...clone, sampleCount: samples.length, status: "processing", progress: 0, message: job.message };
    });
  }

  /** Logs once the clone is durable: the response may be sent earlier, and the client learns if the commit fails. */
  #logConsent({ id, workspaceId }: VoiceClone, { speakerName, recording }: Consent, { keyId }: Caller): void {
    const { store, log } = this.#parts;
    const fields = { audit: "voice-consent", voiceId: id, workspaceId, keyId, speaker: speakerName };
    void store.durable().then(
      () => log.info({ ...fields, hasRecording: recording !== null }, "consent to voice clone attested"),
      () => {},
    );
  }

  /** Newest first. `total` counts all clones of the user, `matching` the clones with the status. */
  page(workspaceId: WorkspaceId, status: CloneStatus | null, limit: number, offset: number, after: TimePlace | null) {
    return this.#parts.store.page({ workspaceId, status, limit, offset, after });
  }

  /** Throws NOT_FOUND for an unknown clone, as do the methods below. */
  async get(workspaceId: WorkspaceId, id: string): Promise<VoiceCloneState> {
    const clone = await this.#parts.store.get(workspaceId, id);
    if (clone === null) throw notFound("voice clone", id);
    return clone;
  }

  async update(workspaceId: WorkspaceId, id: string, change: CloneUpdate): Promise<VoiceCloneState> {
    const { store, clock } = this.#parts;
    const { name, description, settings, ...rest } = change;
    if (name !== undefined && singleLine(name) === "") throw invalid([{ path: "name", message: "Must not be empty." }]);
    const before = await this.get(workspaceId, id);
    const changed = await store.update(
      workspaceId,
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

  /** Deletes the clone, its files, and all derived data. A vendor's copy is queued for deletion. */
  async remove(caller: Caller, workspaceId: WorkspaceId, id: string): Promise<VoiceCloneState> {
    const { store, clock, log, onRemoved } = this.#parts;
    const clone = await this.get(workspaceId, id);
    const now = clock.now();
    const event = { action: "voice.deleted", workspaceId, target: { type: "voice", id } } as const;
    if (!(await store.remove(workspaceId, id, now, auditEntry(caller, now, event)))) throw notFound("voice clone", id);
    log.info({ audit: "voice-deleted", voiceId: id, workspaceId, keyId: caller.keyId }, "voice clone deleted");
    await this.removeFiles(id);
    await onRemoved(id);
    return clone;
  }

  samples(workspaceId: WorkspaceId, id: string): Promise<VoiceSample[]> {
    return this.#parts.store.samples(workspaceId, id);
  }

  /**
   * A sample with its file, which is null if it was deleted by hand. Throws NOT_FOUND if the sample is unknown or its file
   * was deleted after training.
   */
  async original(
    workspaceId: WorkspaceId,
    id: string,
    sampleId: string,
  ): Promise<{ sample: VoiceSample; file: BlobContent | null }> {
    await this.get(workspaceId, id);
    const sample = (await this.samples(workspaceId, id)).find((each) => each.id === sampleId);
    if (sample === undefined) throw notFound("voice sample", sampleId);
    if (!sample.hasOriginal)
      throw new ApiError("NOT_FOUND", {
        message:
          "This recording was deleted after training, as configured on this server. Its quality report is still available.",
        details: { resource: "voice sample", id: sampleId },
      });
    return { sample, file: await this.#parts.blobs.find(voiceFiles.original(id, sampleId)) };
  }

  /** The consent with its recording; `file` is null if that was deleted by hand. */
  async consentRecording(
    workspaceId: WorkspaceId,
    id: string,
  ): Promise<{ consent: Consent; file: BlobContent | null }> {
    const { consent } = await this.get(workspaceId, id);
    if (!consent?.recording) throw notFound("consent recording", id);
    return { consent, file: await this.#parts.blobs.find(voiceFiles.consent(id)) };
  }

  /** Adds samples and retrains. Throws the same errors as creation. */
  async addSamples(acting: Acting, id: string, upload: Upload, check: FormCheck): Promise<VoiceCloneState> {
    const { workspaceId, userId } = acting;
    const { store, rules, clock } = this.#parts;
    const clone = await this.get(workspaceId, id);
    const capacity = maxSamples - clone.sampleCount;
    if (capacity <= 0) throw sampleLimitError(clone.sampleCount);
    await this.#requireStorage(workspaceId, upload);
    return await this.#receiveForm(id, upload, capacity, check, async (form) => {
      if (form.files.length === 0) throw invalid([{ path: "files", message: "Send at least one recording." }]);
      if (form.consentRecording !== null)
        throw invalid([
          { path: "consentRecording", message: "Consent can be given only when a voice clone is created." },
        ]);
      const now = clock.now();
      const samples = samplesOf(id, form, now);
      const limits = { maxSamples, maxBytes: rules.maxBytes };
      const outcome = await store.addSamples({ ...this.#retraining(clone, userId, now), ...limits, samples });
      if (outcome.kind === "tooManyClones") throw this.#tooManyClones(outcome.count);
      throwIfNotAdded(outcome, id, rules.maxBytes);
      this.#parts.onJobSubmitted();
      return await this.get(workspaceId, id);
    });
  }

  /** Deletes a sample and retrains. Throws CONFLICT for the last sample. */
  async removeSample({ workspaceId, userId }: Acting, id: string, sampleId: string): Promise<VoiceCloneState> {
    const { store, clock, blobs, onJobSubmitted } = this.#parts;
    const clone = await this.get(workspaceId, id);
    const outcome = await store.removeSample({ ...this.#retraining(clone, userId, clock.now()), sampleId });
    if (outcome === "absent") throw notFound("voice sample", sampleId);
    if (outcome === "tooManyClones") throw this.#tooManyClones(await store.countClones(workspaceId));
    if (outcome === "last")
      throw new ApiError("CONFLICT", {
        message: "The last recording cannot be removed. Add another one first, or delete the voice clone.",
      });
    for (const kind of ["original", "clip", "frames"] as const) await blobs.remove(voiceFiles[kind](id, sampleId));
    onJobSubmitted();
    return await this.get(workspaceId, id);
  }

  /** Retrains with the same samples and the currently configured engine. */
  async retrain({ workspaceId, userId }: Acting, id: string): Promise<VoiceCloneState> {
    const { store, clock, onJobSubmitted } = this.#parts;
    const clone = await this.get(workspaceId, id);
    const outcome = await store.retrain(this.#retraining(clone, userId, clock.now()));
    if (outcome === "absent") throw notFound("voice clone", id);
    if (outcome === "tooManyClones") throw this.#tooManyClones(await store.countClones(workspaceId));
    onJobSubmitted();
    return await this.get(workspaceId, id);
  }

  /** Deletes clones that failed a week ago and were never usable. Returns how many. */
  async deleteFailed(): Promise<number> {
    const { store, clock, onRemoved } = this.#parts;
    const now = clock.now();
    const failed = await store.failedBefore(now - failedRetentionMs, cleanupBatchSize);
    for (const { workspaceId, id } of failed) {
      const event = { action: "voice.deleted", workspaceId, target: { type: "voice", id } } as const;
      await store.remove(workspaceId, id, now, auditEntry(null, now, event));
      await this.removeFiles(id);
      await onRemoved(id);
    }
    return failed.length;
  }

  /** Removes all files of a clone. */
  async removeFiles(cloneId: string): Promise<void> {
    const { blobs } = this.#parts;
    for (const { name } of await blobs.list(voiceFiles.allOf(cloneId))) await blobs.remove(name);
  }

  /** Removes orphaned files of interrupted uploads and deletions. Returns how many. */
  async sweep(): Promise<number> {
    const { blobs, clock, uploading } = this.#parts;
    const old = (await blobs.list(voiceFiles.all)).filter((blob) => mayBeOrphan(blob, blobs, clock.now()));
    const byClone = Map.groupBy(old, ({ name }) => ownerOf(name).cloneId);
    let removed = 0;
    for (const [cloneId, files] of byClone) {
      if (uploading.has(cloneId)) continue;
      removed += await this.#removeOrphans(
        cloneId,
        files.map(({ name }) => name),
      );
    }
    return removed;
  }

  /** Removes files that do not belong to any sample of the clone. Returns how many. */
  async #removeOrphans(cloneId: string, names: readonly string[]): Promise<number> {
    const { store, blobs } = this.#parts;
    const samples = (await store.findClones([cloneId])).get(cloneId);
    const orphans = names.filter((name) => {
      const { sampleId } = ownerOf(name);
      return samples === undefined || (sampleId !== null && !samples.has(sampleId));
    });
    for (const name of orphans) await blobs.remove(name);
    return orphans.length;
  }

  /** Receives a form, and deletes its files unless `use` stores them. */
  async #receiveForm<T>(
    cloneId: string,
    upload: Upload,
    maxFiles: number,
    check: FormCheck,
    use: (form: ReceivedForm) => Promise<T>,
  ): Promise<T> {
    const { blobs, ids, clock } = this.#parts;
    const storedBlobs: string[] = [];
    this.#parts.uploading.add(cloneId);
    try {
      const blobNameFor = (kind: "sample" | "consent") =>
        kind === "consent" ? voiceFiles.consent(cloneId) : voiceFiles.original(cloneId, ids.next(clock.now()));
      const validateFields = (fields: ReadonlyMap<string, string>) => void check(formValues(fields), false);
      const rules = { maxFiles, maxFileBytes: maxSampleBytes, blobNameFor, validateFields };
      const result = await use(await receiveForm(upload, blobs, rules, storedBlobs));
      // With an Idempotency-Key, the clone is committed together with the response, which follows later. Rejects only
      // on disk errors: the next sweep removes what is left.
      void pause()
        .then(() => this.#removeOrphans(cloneId, storedBlobs))
        .catch(() => {});
      return result;
    } catch (error) {
      await Promise.allSettled(storedBlobs.map((name) => blobs.remove(name)));
      throw error;
    } finally {
      this.#parts.uploading.delete(cloneId);
    }
  }

  /** Checks the announced length before reading anything. */
  async #requireStorage(workspaceId: WorkspaceId, { announcedBytes }: Upload): Promise<void> {
    const { store, rules } = this.#parts;
    const usedBytes = await store.storedBytes(workspaceId);
    if (usedBytes + (announcedBytes ?? 0) > rules.maxBytes) throw storageLimitError(usedBytes, rules.maxBytes);
  }

  #tooManyClones(count: number): ApiError {
    const { maxClones, upgradeUrl } = this.#parts.rules;
    return cloneLimitError(count, maxClones, upgradeUrl);
  }

  #retraining(clone: VoiceClone, userId: UserId | null, at: number): Retraining {
    const { ids, rules } = this.#parts;
    const job = trainingJob(clone, ids.next(at), userId, at);
    const { engine, maxClones } = rules;
    return { workspaceId: clone.workspaceId, cloneId: clone.id, job, engine, maxClones, at };
  }
}

function throwIfNotAdded(outcome: Exclude<AddOutcome, { kind: "tooManyClones" }>, id: string, maxBytes: number): void {
  switch (outcome.kind) {
    case "added":
      return;
    case "absent":
      throw notFound("voice clone", id);
    case "tooMany":
      throw sampleLimitError(outcome.count);
    case "noRoom":
      throw storageLimitError(outcome.usedBytes, maxBytes);
    case "duplicate":
      throw invalid([{ path: "files", message: `This voice clone already has the recording ${outcome.fileName}.` }]);
  }
}
