import type { AuditEntry } from "../auth/audit/model.ts";
import { isoTime, isoTimeOrNull, type Clock } from "../base/clock.ts";
import { ApiError, notFound } from "../base/errors.ts";
import type { Job, JobDay, JobFilter, JobPlace, JobStatistics, JobStatus, JobView } from "./model.ts";
import type { ClientChange, JobStore } from "./store.ts";

export type JobPage = { jobs: Job[]; statistics: JobStatistics };

/** Jobs as their owners see them. */
export class JobService {
  readonly #jobs: JobStore;
  readonly #clock: Clock;
  readonly #poke: () => void;

  /** `poke` tells the runner that something may be due. */
  constructor(jobs: JobStore, clock: Clock, poke: () => void) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#poke = poke;
  }

  /** Stores a job and lets the runner know. */
  async submit(job: Job, audit?: AuditEntry): Promise<void> {
    await this.#jobs.insert(job, audit);
    this.#poke();
  }

  /** Newest first; the statistics are of all jobs that the filter lets through. */
  async page(
    userId: string,
    filter: JobFilter,
    limit: number,
    offset: number,
    after: JobPlace | null,
  ): Promise<JobPage> {
    const [jobs, counts] = await Promise.all([
      this.#jobs.page({ userId, filter, limit, offset, after }),
      this.#jobs.countByStatus(userId, filter),
    ]);
    return { jobs, statistics: statisticsOf(counts) };
  }

  /** All jobs that the filter lets through, newest first, in pages: constant memory, however many there are. */
  async *all(userId: string, filter: JobFilter): AsyncGenerator<Job[], void, void> {
    let after: JobPlace | null = null;
    for (;;) {
      const jobs: Job[] = await this.#jobs.page({ userId, filter, limit: pageJobs, offset: 0, after });
      const last = jobs.at(-1);
      if (last === undefined) return;
      yield jobs;
      if (jobs.length < pageJobs) return;
      after = { createdAt: last.createdAt, id: last.id };
    }
  }

  async statistics(userId: string): Promise<JobStatistics> {
    return statisticsOf(await this.#jobs.countByStatus(userId, {}));
  }

  /**
   * Jobs by day of their creation in the time zone, oldest first, with the last `days` days up to today; a day without
   * jobs is there too.
   */
  async history(userId: string, days: number, timeZone: string): Promise<JobDay[]> {
    const dates = datesUntil(this.#clock.now(), days, timeZone);
    const byDate = new Map(dates.map((date) => [date, { date, pending: 0, running: 0, completed: 0, failed: 0 }]));
    const from = this.#clock.now() - (days + 1) * 86_400_000;
    for (const { at, status, jobs } of await this.#jobs.countByTime(userId, from, bucketMs)) {
      const day = byDate.get(dateIn(at, timeZone));
      if (day !== undefined) day[status] += jobs;
    }
    return [...byDate.values()];
  }

  /** Of all users together. */
  async allStatistics(): Promise<JobStatistics> {
    return statisticsOf(await this.#jobs.countAll());
  }

  async get(userId: string, id: string): Promise<Job> {
    const job = await this.find(userId, id);
    if (job === null) throw notFound("job", id);
    return job;
  }

  find(userId: string, id: string): Promise<Job | null> {
    return this.#jobs.get(userId, id);
  }

  /** CONFLICT when it has ended, or is being sent at this moment. */
  async cancel(userId: string, id: string): Promise<Job> {
    const change = await this.#jobs.cancel(userId, id, this.#clock.now());
    return this.#changed(id, change, (job) => `This job has ${job.status} already, so there is nothing to cancel.`);
  }

  /** CONFLICT unless it has failed, and also when its action may have had its effect. */
  async retry(userId: string, id: string): Promise<Job> {
    const change = await this.#jobs.retry(userId, id, this.#clock.now());
    const job = this.#changed(id, change, ({ status }) => `Only a failed job can be run again; this one is ${status}.`);
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

/** Read, and written as text, in some milliseconds. */
const pageJobs = 200;

/** Midnight is at a quarter of an hour in every time zone. */
const bucketMs = 15 * 60_000;

/** "2026-11-21", where it is that date. */
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
  const known = dateFormats.get(timeZone);
  if (known !== undefined) return known;
  // Swedish dates are ISO 8601.
  const made = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  dateFormats.set(timeZone, made);
  return made;
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
  const { id, type, status, progress, metadata, editedMessage = null } = job;
  const hasEnded = status === "completed" || status === "failed";
  const message = editedMessage === null || hasEnded ? job.message : editedMessage;
  return {
    id,
    type,
    status,
    createdAt: isoTime(job.createdAt),
    completedAt: isoTimeOrNull(job.completedAt),
    message,
    progress: Math.round(progress * 100) / 100,
    // Of an action that is gone, nothing says when it was planned; its delay is a number all the same.
    metadata: { ...(type === "linkedin_action" && { delay: 0 }), ...metadata, attempt: job.attempt },
  };
}
