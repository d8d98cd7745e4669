import { auditEntry } from "../auth/audit/entry.ts";
import type { AuditAction } from "../auth/audit/model.ts";
import { BlobTooLarge, type BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Ids } from "../base/ids.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { Caller } from "../auth/caller.ts";
import type { Job, JobMetadata, JobType } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";

/** A crash in the middle goes on behind the last stored row; five of them speak for a fault that is not chance. */
const maxAttempts = 5;

export type FileToTakeIn = {
  caller: Caller;
  userId: string;
  type: JobType;
  /** Where files of this kind lie; the file is called like its job. */
  folder: string;
  stream: AsyncIterable<Uint8Array> | null;
  /** For the handler. */
  payload: Record<string, unknown>;
  metadata: JobMetadata;
  maxBytes: number;
  /** What the audit log is told. */
  action: AuditAction;
  /** Makes the error for a file above `maxBytes`. */
  tooLarge: () => Error;
};

export function fileOfJob(folder: string, jobId: string): string {
  return `${folder}/${jobId}`;
}

/** Files that somebody sends, and the jobs that read them. */
export class FileIntake {
  readonly #jobs: JobService;
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  /** Files whose job is not known to be stored yet. */
  readonly #underWay = new Set<string>();

  constructor(jobs: JobService, blobs: BlobStore, clock: Clock, ids: Ids) {
    this.#jobs = jobs;
    this.#blobs = blobs;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Takes the file in and starts the job that reads it. The file is on disk before the job exists, so that a job never
   * points at nothing; where the job is not stored after all, the file goes. VALIDATION_ERROR for an empty body.
   */
  async start(request: FileToTakeIn): Promise<Job> {
    const now = this.#clock.now();
    const id = this.#ids.next(now);
    const file = fileOfJob(request.folder, id);
    this.#underWay.add(file);
    try {
      const job = await this.#takeIn(request, id, file, now);
      // Rejects with the disk only: a sweep takes what is left then.
      void this.#removeUnlessStored(job, file)
        .catch(() => {})
        .finally(() => this.#underWay.delete(file));
      return job;
    } catch (error) {
      this.#underWay.delete(file);
      throw error;
    }
  }

  async #takeIn(request: FileToTakeIn, id: string, file: string, now: number): Promise<Job> {
    const { caller, userId, type, stream, payload, metadata, maxBytes, action, tooLarge } = request;
    let bytes: number;
    try {
      bytes = await this.#blobs.receive(file, stream, maxBytes);
    } catch (error) {
      throw error instanceof BlobTooLarge ? tooLarge() : error;
    }
    const job: Job = {
      id,
      userId,
      type,
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts,
      leaseUntil: null,
      message: "Waiting to be read",
      progress: 0,
      metadata: { ...metadata, bytes },
      payload,
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
    try {
      if (bytes === 0)
        throw invalid([{ path: "", message: "The body is empty. Send the file's content as the body." }]);
      const event = { action, userId, target: { type: "job", id }, details: { bytes } };
      await this.#jobs.submit(job, auditEntry(caller, now, event));
    } catch (error) {
      await this.#blobs.remove(file);
      throw error;
    }
    return job;
  }

  /** What a request with an Idempotency-Key stores is committed together with its answer, which is made after this. */
  async #removeUnlessStored({ userId, id }: Job, file: string): Promise<void> {
    await pause();
    if ((await this.#jobs.find(userId, id)) === null) await this.#blobs.remove(file);
  }

  /**
   * Removes files whose job has ended or was never stored: of those that failed or were canceled, once nobody can retry
   * them; of others, what a crash has left. Answers how many. What is being taken in stays.
   */
  async sweep(folder: string, isOpen: (jobId: string) => Promise<boolean>): Promise<number> {
    let removed = 0;
    for (const name of await this.#blobs.list(folder)) {
      // First: what was under way when it was listed may have its job by now. Half a file has an ending of its own.
      if ([...this.#underWay].some((file) => name.startsWith(file))) continue;
      if (await isOpen(name.slice(folder.length + 1))) continue;
      await this.#blobs.remove(name);
      removed++;
    }
    return removed;
  }
}
