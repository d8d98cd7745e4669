import type { FileIntake } from "../jobs/file-intake.ts";
import type { Job } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";
import type { Caller } from "../keys/caller.ts";
import { prospectImportFolder, type ProspectImportSettings } from "./import-job.ts";
import type { ProspectReportRequest, ProspectReportRow, ProspectStore } from "./store.ts";

/** Files of prospects and companies: taken in, stored by a job, reported row by row. */
export class ProspectImportService {
  readonly #prospects: ProspectStore;
  readonly #jobs: JobService;
  readonly #intake: FileIntake;

  constructor(prospects: ProspectStore, jobs: JobService, intake: FileIntake) {
    this.#prospects = prospects;
    this.#jobs = jobs;
    this.#intake = intake;
  }

  /** As `FileIntake.start`. */
  start(
    caller: Caller,
    userId: string,
    stream: ReadableStream<Uint8Array> | null,
    settings: ProspectImportSettings,
    maxBytes: number,
    tooLarge: () => Error,
  ): Promise<Job> {
    const { onDuplicate } = settings;
    const metadata = { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, companies: 0, onDuplicate };
    return this.#intake.start({
      ...{ caller, userId, stream, metadata, maxBytes, tooLarge },
      payload: { ...settings },
      type: "prospect_import",
      action: "prospects.imported",
      folder: prospectImportFolder,
    });
  }

  /** Rows that became no new prospect or company, by row. NOT_FOUND for an unknown import. */
  async report(request: ProspectReportRequest): Promise<ProspectReportRow[]> {
    await this.#jobs.get(request.userId, request.jobId);
    return this.#prospects.importReport(request);
  }

  /** As `FileIntake.sweep`. */
  sweep(isOpen: (jobId: string) => Promise<boolean>): Promise<number> {
    return this.#intake.sweep(prospectImportFolder, isOpen);
  }
}
