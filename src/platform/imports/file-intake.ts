import { auditEntry } from "../auth/audit/entry.ts";
import type { AuditAction } from "../auth/audit/model.ts";
import { BlobTooLarge, type BlobStore } from "../blobs/blob-store.ts";
import { mayBeOrphan } from "../blobs/orphans.ts";
import type { Clock, Ids } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { Caller } from "../auth/caller.ts";
import type { Job, JobMetadata, JobType } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";
import type { WorkspaceId } from "../base/ids.ts";

/** After a crash the job resumes behind the last stored row. Five crashes in a row are no coincidence. */
const maxAttempts = 5;

export type IncomingFile = {
  caller: Caller;
  workspaceId: WorkspaceId;
  type: JobType;
  /** Folder of the files of this kind. The file has the ID of its job as its name. */
  folder: string;
  stream: AsyncIterable<Uint8Array> | null;
  /** Input of the job handler. */
  payload: Record<string, unknown>;
  metadata: JobMetadata;
  maxBytes: number;
  /** Action in the audit log. */
  action: AuditAction;
  /** Creates the error for a file larger than `maxBytes`. */
  tooLarge: () => Error;
};

export function fileOfJob(folder: string, jobId: string): string {
  return `${folder}/${jobId}`;
}

/** Receives uploaded files and starts the jobs that read them. */
export class FileIntake {
  readonly #jobs: JobService;
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  /** Files whose job may not be stored yet. */
  readonly #underWay = new Set<string>();

  constructor(jobs: JobService, blobs: BlobStore, clock: Clock, ids: Ids) {
    this.#jobs = jobs;
    this.#blobs = blobs;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Stores the file and starts the job that reads it. The file is on disk before the job exists, so that no job lacks
   * its file. If the job is not stored, the file is removed. Throws VALIDATION_ERROR for an empty body.
   */
  async start(request: IncomingFile): Promise<Job> {
    const now = this.#clock.now();
    const id = this.#ids.next(now);
    const file = fileOfJob(request.folder, id);
    this.#underWay.add(file);
    try {
      const job = await this.#receive(request, id, file, now);
      // Rejects only if the disk fails; a later sweep removes the file.
      void this.#removeUnlessStored(job, file)
        .catch(() => {})
        .finally(() => this.#underWay.delete(file));
      return job;
    } catch (error) {
      this.#underWay.delete(file);
      throw error;
    }
  }

  async #receive(request: IncomingFile, id: string, file: string, now: number): Promise<Job> {
    const { caller, workspaceId, type, stream, payload, metadata, maxBytes, action, tooLarge } = request;
    let bytes: number;
    try {
      bytes = await this.#blobs.receive(file, stream, maxBytes);
    } catch (error) {
      throw error instanceof BlobTooLarge ? tooLarge() : error;
    }
    const job: Job = {
      id,
      workspaceId,
      userId: caller.userId,
      type,
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts,
      leaseUntil: null,
      message: "Waiting to start",
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
      const event = { action, workspaceId, target: { type: "job", id }, details: { bytes } };
      await this.#jobs.submit(job, auditEntry(caller, now, event));
    } catch (error) {
      await this.#blobs.remove(file);
      throw error;
    }
    return job;
  }

  /** A request with an Idempotency-Key is committed together with its response, which is created after this. */
  async #removeUnlessStored({ workspaceId, id }: Job, file: string): Promise<void> {
    await pause();
    if ((await this.#jobs.find(workspaceId, id)) === null) await this.#blobs.remove(file);
  }

  /**
   * Removes files whose job has ended or was never stored, and returns their number. Files of failed and canceled jobs
   * stay while the job can be retried. Files that are being received stay too.
   */
  async sweep(folder: string, isOpen: (jobId: string) => Promise<boolean>): Promise<number> {
    let removed = 0;
    for (const blob of await this.#blobs.list(`${folder}/`)) {
      const { name } = blob;
      // Checked first: a file that was being received when it was listed may have its job by now. A partial file has a suffix.
      if ([...this.#underWay].some((file) => name.startsWith(file))) continue;
      if (!mayBeOrphan(blob, this.#blobs, this.#clock.now())) continue;
      if (await isOpen(name.slice(folder.length + 1))) continue;
      await this.#blobs.remove(name);
      removed++;
    }
    return removed;
  }
}
