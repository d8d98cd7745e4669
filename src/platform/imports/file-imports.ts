import { pause } from "../../lib/concurrency/pause.ts";
import type { AuditAction } from "../auth/audit/model.ts";
import type { Caller } from "../auth/caller.ts";
import type { FileIntake } from "./file-intake.ts";
import type { Job, JobType } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";
import type { WorkspaceId } from "../base/ids.ts";

export type ImportKind<Report extends ReportRequest, Row> = {
  type: JobType;
  /** Name in the audit log. */
  action: AuditAction;
  /** Folder of its files. */
  folder: string;
  /** Counters of the job in addition to rows, created, updated, skipped, and failed. */
  counts: readonly string[];
  report: (request: Report) => Promise<Row[]>;
  /** Number of rows in the report, counted up to 10,000. */
  countReport: (request: Report) => Promise<number>;
};
type ReportRequest = { workspaceId: WorkspaceId; jobId: string; afterRow: number; limit: number };
/** Takes a few milliseconds to read. */
const pageRows = 500;
type Settings = { onDuplicate: string; dryRun: boolean };

/** Imports files with rows of one kind: receives the file, stores the rows in a job, and reports each row. */
export class FileImports<S extends Settings, Report extends ReportRequest, Row extends { row: number }> {
  readonly #kind: ImportKind<Report, Row>;
  readonly #jobs: JobService;
  readonly #intake: FileIntake;

  constructor(kind: ImportKind<Report, Row>, jobs: JobService, intake: FileIntake) {
    this.#kind = kind;
    this.#jobs = jobs;
    this.#intake = intake;
  }

  /** See `FileIntake.start`. */
  start(
    caller: Caller,
    workspaceId: WorkspaceId,
    stream: AsyncIterable<Uint8Array> | null,
    settings: S,
    maxBytes: number,
    tooLarge: () => Error,
  ): Promise<Job> {
    const { dryRun, onDuplicate } = settings;
    const counts = ["rows", "created", "updated", "skipped", "failed", ...this.#kind.counts];
    return this.#intake.start({
      ...{ caller, workspaceId, stream, maxBytes, tooLarge },
      ...{ type: this.#kind.type, action: this.#kind.action, folder: this.#kind.folder },
      metadata: { ...Object.fromEntries(counts.map((name) => [name, 0])), dryRun, onDuplicate },
      payload: { ...settings },
    });
  }

  /** Rows that created nothing, in order. Throws NOT_FOUND for an unknown import. */
  async report(request: Report): Promise<{ rows: Row[]; total: number }> {
    await this.#jobs.get(request.workspaceId, request.jobId);
    const [rows, total] = await Promise.all([this.#kind.report(request), this.#kind.countReport(request)]);
    return { rows, total };
  }

  /** All rows of a report, page by page, without counting them. Throws NOT_FOUND for an unknown import. */
  rows(report: Omit<Report, "afterRow" | "limit">): AsyncGenerator<Row> {
    return allRows(this.#kind.report, report);
  }

  /** The job of an import, with its settings. Throws NOT_FOUND for an unknown one. */
  job(workspaceId: WorkspaceId, jobId: string): Promise<Job> {
    return this.#jobs.get(workspaceId, jobId);
  }

  /** See `FileIntake.sweep`. */
  sweep(isOpen: (jobId: string) => Promise<boolean>): Promise<number> {
    return this.#intake.sweep(this.#kind.folder, isOpen);
  }
}

/** All rows of a report, in order, page by page. */
export async function* allRows<Report extends { afterRow: number; limit: number }, Row extends { row: number }>(
  pageOf: (request: Report) => Promise<Row[]>,
  report: Omit<Report, "afterRow" | "limit">,
): AsyncGenerator<Row> {
  for (let afterRow = 0; ;) {
    // The rest of a request and its page are the whole of it.
    const page = await pageOf({ ...report, afterRow, limit: pageRows } as Report);
    yield* page;
    if (page.length < pageRows) return;
    // SQLite answers in the same turn of the event loop.
    await pause();
    afterRow = page.at(-1)!.row;
  }
}
