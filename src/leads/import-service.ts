import { BlobTooLarge, type BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import { invalid } from "../errors.ts";
import type { Ids } from "../ids.ts";
import type { Job } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";
import { importFileName, type ImportSettings } from "./import-job.ts";
import type { ImportReportRequest, ImportReportRow, LeadStore } from "./store.ts";

/** A crash in the middle goes on behind the last stored row; five of them speak for a fault that is not chance. */
const maxAttempts = 5;

/** Files of leads: taken in, stored by a job, reported row by row. */
export class LeadImportService {
  readonly #leads: LeadStore;
  readonly #jobs: JobService;
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(leads: LeadStore, jobs: JobService, blobs: BlobStore, clock: Clock, ids: Ids) {
    this.#leads = leads;
    this.#jobs = jobs;
    this.#blobs = blobs;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Takes the file in and starts the job that reads it. The file is on disk before the job exists, so that a job never
   * points at nothing. VALIDATION_ERROR for an empty body; `tooLarge` makes the error for one above `maxBytes`.
   */
  async start(
    userId: string,
    stream: ReadableStream<Uint8Array> | null,
    settings: ImportSettings,
    maxBytes: number,
    tooLarge: () => Error,
  ): Promise<Job> {
    const now = this.#clock.now();
    const id = this.#ids.next(now);
    const file = importFileName(id);
    let bytes: number;
    try {
      bytes = await this.#blobs.receive(file, stream, maxBytes);
    } catch (error) {
      throw error instanceof BlobTooLarge ? tooLarge() : error;
    }
    const job: Job = {
      id,
      userId,
      type: "lead_import",
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts,
      leaseUntil: null,
      message: "Waiting to be read",
      progress: 0,
      metadata: {
        rows: 0,
        created: 0,
        updated: 0,
        skipped: 0,
        failed: 0,
        bytes,
        dryRun: settings.dryRun,
        onDuplicate: settings.onDuplicate,
      },
      payload: { ...settings },
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
    try {
      if (bytes === 0)
        throw invalid([{ path: "", message: "The body is empty. Send the file's content as the body." }]);
      await this.#jobs.submit(job);
    } catch (error) {
      await this.#blobs.remove(file);
      throw error;
    }
    return job;
  }

  /** Rows that did not become a new lead, by row. NOT_FOUND for an unknown import. */
  async report(request: ImportReportRequest): Promise<ImportReportRow[]> {
    await this.#jobs.get(request.userId, request.jobId);
    return this.#leads.importReport(request);
  }

  /** Removes files whose import has ended or was never stored; for the start, when nothing is being taken in. */
  async sweep(isOpen: (jobId: string) => Promise<boolean>): Promise<number> {
    let removed = 0;
    for (const name of await this.#blobs.list("imports")) {
      if (await isOpen(name.slice("imports/".length))) continue;
      await this.#blobs.remove(name);
      removed++;
    }
    return removed;
  }
}
