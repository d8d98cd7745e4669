import type { AuditEntry } from "../auth/audit/model.ts";
import { isoTime, isoTimeOrNull, type Clock } from "../base/clock.ts";
import { ApiError, notFound } from "../base/errors.ts";
import type { Job, JobDay, JobDayBasis, JobFilter, JobPlace, JobStatistics, JobStatus, JobView } from "./model.ts";
import type { ClientChange, JobStore } from "./store.ts";
import { hasEnded, isOfAction } from "./transitions.ts";
import type { WorkspaceId } from "../base/ids.ts";

export type JobPage = { jobs: Job[]; statistics: JobStatistics };

/** Jobs for their users. */
export class JobService {
  readonly #jobs: JobStore;
  readonly #clock: Clock;
  readonly #poke: () => void;

  /** `poke` makes the runner check for due jobs. */
  constructor(jobs: JobStore, clock: Clock, poke: () => void) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#poke = poke;
  }

  /** Stores a job and notifies the runner. */
  async submit(job: Job, audit?: AuditEntry): Promise<void> {
    await this.#jobs.insert(job, audit);
    this.#poke();
  }

  /** Newest first. The statistics cover all jobs that match the filter. */
  async page(
    workspaceId: WorkspaceId,
    filter: JobFilter,
    limit: number,
    offset: number,
    after: JobPlace | null,
  ): Promise<JobPage> {
    const [jobs, counts] = await Promise.all([
      this.#jobs.page({ workspaceId, filter, limit, offset, after }),
      this.#jobs.countByStatus(workspaceId, filter),
    ]);
    return { jobs, statistics: statisticsOf(counts) };
  }

  /** All jobs that match the filter, newest first. Yields pages, so that memory use does not grow with their number. */
  async *all(workspaceId: WorkspaceId, filter: JobFilter): AsyncGenerator<Job[], void, void> {
    let after: JobPlace | null = null;
    for (;;) {
      const jobs: Job[] = await this.#jobs.page({ workspaceId, filter, limit: pageSize, offset: 0, after });
      const last = jobs.at(-1);
      if (last === undefined) return;
      yield jobs;
      if (jobs.length < pageSize) return;
      after = { createdAt: last.createdAt, id: last.id };
    }
  }

  async statistics(workspaceId: WorkspaceId): Promise<JobStatistics> {
    return statisticsOf(await this.#jobs.countByStatus(workspaceId, {}));
  }

  /**
   * Counts jobs by day of creation, or of execution, in the time zone for the last `days` days including today, oldest
   * first. Includes days without jobs.
   */
  async history(workspaceId: WorkspaceId, days: number, timeZone: string, by: JobDayBasis): Promise<JobDay[]> {
    const dates = datesUntil(this.#clock.now(), days, timeZone);
    const byDate = new Map(dates.map((date) => [date, { date, pending: 0, running: 0, completed: 0, failed: 0 }]));
    const from = this.#clock.now() - (days + 1) * 86_400_000;
    const counts =
      by === "created"
        ? await this.#jobs.countByTime(workspaceId, from, bucketMs)
        : await this.#jobs.countByExecution(workspaceId, from - longestWaitMs, bucketMs);
    for (const { at, status, jobs } of counts) {
      const day = byDate.get(dateIn(at, timeZone));
      if (day !== undefined) day[status] += jobs;
    }
    return [...byDate.values()];
  }

  /** Statistics of all users together. */
  async allStatistics(): Promise<JobStatistics> {
    return statisticsOf(await this.#jobs.countAll());
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<Job> {
    const job = await this.find(workspaceId, id);
    if (job === null) throw notFound("job", id);
    return job;
  }

  find(workspaceId: WorkspaceId, id: string): Promise<Job | null> {
    return this.#jobs.get(workspaceId, id);
  }

  /** Throws CONFLICT if the job has ended or its action is being sent. */
  async cancel(workspaceId: WorkspaceId, id: string): Promise<Job> {
    const change = await this.#jobs.cancel(workspaceId, id, this.#clock.now());
    return this.#changed(id, change, (job) => `Cannot cancel a job that has already ${job.status}.`);
  }

  /** Throws CONFLICT unless the job has failed, or if its action may have taken effect. */
  async retry(workspaceId: WorkspaceId, id: string): Promise<Job> {
    const change = await this.#jobs.retry(workspaceId, id, this.#clock.now());
    const job = this.#changed(
      id,
      change,
      ({ status }) => `Only failed jobs can be retried. The status of this job is ${status}.`,
    );
    this.#poke();
    return job;
  }

  async editMessage(id: string, message: string): Promise<Job> {
    const job = await this.#jobs.editMessage(id, message, this.#clock.now());
    if (job === null) throw notFound("job", id);
    return job;
  }

  #changed(id: string, change: ClientChange, refusal: (job: Job) => string): Job {
    if (change.kind === "absent") throw notFound("job", id);
    if (change.kind === "changed") return change.job;
    const message = change.reason ?? refusal(change.job);
    throw new ApiError("CONFLICT", { message, details: { status: change.job.status } });
  }
}

/** Can be read and serialized in a few milliseconds. */
const pageSize = 200;

/** Of jobs that waited longer between creation and execution, the execution is not counted. */
const longestWaitMs = 60 * 86_400_000;
/** In every time zone, midnight is on a quarter of an hour in UTC. */
const bucketMs = 15 * 60_000;

/** The date in this time zone, such as "2026-11-21". */
function dateIn(at: number, timeZone: string): string {
  return dateFormat(timeZone).format(at);
}

function datesUntil(now: number, days: number, timeZone: string): string[] {
  const today = Date.parse(`${dateIn(now, timeZone)}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();
function dateFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = dateFormats.get(timeZone);
  if (cached !== undefined) return cached;
  // The Swedish date format is ISO 8601.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  dateFormats.set(timeZone, format);
  return format;
}

export function statisticsOf(counts: Record<JobStatus, number>): JobStatistics {
  const { pending, running, completed, failed } = counts;
  const finished = completed + failed;
  return {
    total: pending + running + finished,
    pending,
    running,
    completed,
    failed,
    successRate: finished === 0 ? 0 : Math.round((completed / finished) * 10_000) / 100,
  };
}

export function jobView(job: Job): JobView {
  const { id, userId, type, status, progress, metadata, editedMessage = null } = job;
  const message = editedMessage === null || hasEnded(job) ? job.message : editedMessage;
  return {
    id,
    userId,
    type,
    status,
    createdAt: isoTime(job.createdAt),
    completedAt: isoTimeOrNull(job.completedAt),
    message,
    progress: Math.round(progress * 100) / 100,
    // The planned time of a deleted action is unknown, but the delay must still be a number.
    metadata: { ...(isOfAction(job) && { delay: 0 }), ...metadata, attempt: job.attempt },
  };
}
