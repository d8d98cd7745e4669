import type { FileIntake } from "../jobs/file-intake.ts";
import type { Job } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";
import type { Caller } from "../keys/caller.ts";
import { importFolder, type ImportSettings } from "./import-job.ts";
import type { ImportReportRequest, ImportReportRow, LeadStore } from "./store.ts";

/** Files of leads: taken in, stored by a job, reported row by row. */
export class LeadImportService {
  readonly #leads: LeadStore;
  readonly #jobs: JobService;
  readonly #intake: FileIntake;

  constructor(leads: LeadStore, jobs: JobService, intake: FileIntake) {
    this.#leads = leads;
    this.#jobs = jobs;
    this.#intake = intake;
  }

  /** As `FileIntake.start`. */
  start(
    caller: Caller,
    userId: string,
    stream: ReadableStream<Uint8Array> | null,
    settings: ImportSettings,
    maxBytes: number,
    tooLarge: () => Error,
  ): Promise<Job> {
    const { dryRun, onDuplicate } = settings;
    const metadata = { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, dryRun, onDuplicate };
    const payload = { ...settings };
    return this.#intake.start({
      ...{ caller, userId, stream, payload, metadata, maxBytes, tooLarge },
      type: "lead_import",
      action: "leads.imported",
      folder: importFolder,
    });
  }

  /** Rows that did not become a new lead, by row. NOT_FOUND for an unknown import. */
  async report(request: ImportReportRequest): Promise<ImportReportRow[]> {
    await this.#jobs.get(request.userId, request.jobId);
    return this.#leads.importReport(request);
  }

  /** As `FileIntake.sweep`. */
  sweep(isOpen: (jobId: string) => Promise<boolean>): Promise<number> {
    return this.#intake.sweep(importFolder, isOpen);
  }
}
