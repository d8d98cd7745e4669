import type { Place } from "../../lib/concurrency/fair-queue.ts";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock, Ids } from "../../platform/base/clock.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import { formValues, type FormCheck } from "./form.ts";
import { voiceFiles } from "./files.ts";
import { maxSampleBytes, maxSamples, type CloneQuality, type SampleQuality } from "./model.ts";
import { cloneQuality, trainingProblem } from "./quality.ts";
import { receiveForm, type ReceivedFile, type Upload } from "./receive.ts";
import { maxChecksPerUser, type SampleMeter } from "./sample-meter.ts";
import type { SampleToMeasure } from "./threads/analysis-thread.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type SampleCheck = {
  isTrainable: boolean;
  quality: CloneQuality;
  samples: (ReceivedFile & { quality: SampleQuality })[];
};

const busySeconds = 30;
const timeoutMs = 5 * 60_000;

/** Checks recordings before training, without storing them. */
export class SampleChecker {
  readonly #blobs: BlobStore;
  readonly #meter: SampleMeter;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #uploading: Set<string>;

  /** `uploading`: IDs whose files must not be swept. */
  constructor(blobs: BlobStore, meter: SampleMeter, uploading: Set<string>, clock: Clock, ids: Ids) {
    this.#uploading = uploading;
    this.#blobs = blobs;
    this.#meter = meter;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Throws the same errors as creation, RATE_LIMIT_EXCEEDED if too many checks of this user are waiting, and
   * SERVICE_UNAVAILABLE if too many checks of all users are.
   */
  async check(
    workspaceId: WorkspaceId,
    upload: Upload,
    checkForm: FormCheck,
    signal: AbortSignal,
  ): Promise<SampleCheck> {
    const owner = `check:${workspaceId}`;
    const full = this.#meter.queue.fullFor(owner);
    if (full !== null) throw queueFullError(full);
    const place = this.#meter.queue.join(owner);
    try {
      return await this.#checkInTurn(place, upload, checkForm, signal);
    } finally {
      place.leave();
    }
  }

  async #checkInTurn(place: Place, upload: Upload, checkForm: FormCheck, signal: AbortSignal): Promise<SampleCheck> {
    const id = this.#ids.next(this.#clock.now());
    const storedBlobs: string[] = [];
    this.#uploading.add(id);
    try {
      const form = await receiveForm(
        upload,
        this.#blobs,
        {
          maxFiles: maxSamples,
          maxFileBytes: maxSampleBytes,
          blobNameFor: () => voiceFiles.original(id, this.#ids.next(this.#clock.now())),
          validateFields: (fields) => void checkForm(formValues(fields), false),
        },
        storedBlobs,
      );
      if (form.files.length === 0)
        throw invalid([{ path: "files", message: "Send at least one recording in WAV, MP3, M4A, or FLAC format." }]);
      return await this.#measure(form.files, place, signal);
    } finally {
      await Promise.allSettled(storedBlobs.map((name) => this.#blobs.remove(name)));
      this.#uploading.delete(id);
    }
  }

  async #measure(files: ReceivedFile[], place: Place, signal: AbortSignal): Promise<SampleCheck> {
    using held = new DisposableStack();
    const samples: SampleToMeasure[] = [];
    for (const { blob } of files)
      samples.push({ id: blob, path: held.use(await this.#blobs.localFile(blob)).path, isStored: false });
    // Time spent in the queue does not count toward the timeout.
    await place.turn(signal);
    const limits = new AbortController();
    const cancel = this.#clock.after(timeoutMs, () => limits.abort(timeoutError()));
    const qualities = new Map<string, SampleQuality>();
    let speakers = 0;
    try {
      const within = AbortSignal.any([signal, limits.signal]);
      for await (const answer of this.#meter.measure({ samples, measuredBefore: [] }, place, within)) {
        if (answer.kind === "measured") qualities.set(answer.id, answer.quality);
        if (answer.kind === "done") speakers = answer.speakers;
      }
    } finally {
      cancel();
    }
    const measured = files.map((file) => ({ ...file, quality: qualities.get(file.blob)! }));
    const each = measured.map(({ quality }) => quality);
    return { isTrainable: trainingProblem(each) === null, quality: cloneQuality(each, speakers), samples: measured };
  }
}

function queueFullError(full: "owner" | "everyone"): ApiError {
  if (full === "everyone")
    return new ApiError("SERVICE_UNAVAILABLE", {
      message: "Too many recordings are being checked on this server. Try again in 30 seconds.",
      retryAfterSeconds: busySeconds,
    });
  return new ApiError("RATE_LIMIT_EXCEEDED", {
    message: `Rate limit exceeded: ${maxChecksPerUser} of your checks are in progress. Try again when one of them is done.`,
    details: { limit: maxChecksPerUser },
    retryAfterSeconds: busySeconds,
  });
}

function timeoutError(): ApiError {
  return invalid([
    { path: "files", message: "The check timed out after 5 minutes. Send fewer or shorter recordings." },
  ]);
}
