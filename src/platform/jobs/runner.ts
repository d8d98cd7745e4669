import { runOutsideRequest } from "../../lib/concurrency/outside-request.ts";
import { type Clock, type Ids, isoTime } from "../base/clock.ts";
import { diskFaultOf } from "../base/disk-fault.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { JobHandler } from "./handler.ts";
import { Interruption } from "./interruption.ts";
import type { Job, JobType, JobClaim, JobEnd } from "./model.ts";
import { diskRetryMs, retryOnDiskFault } from "./disk-retry.ts";
import { retryDelayMs } from "./retry-policy.ts";
import type { JobStore } from "./store.ts";
import { isFinal } from "./transitions.ts";

/** Much longer than any pause of a healthy process. A lost lease only delays the job. */
const leaseMs = 60_000;
const renewEveryMs = leaseMs / 3;
/** Check for due jobs at least this often. */
const maxSleepMs = 30_000;
/** When to look again after a claim. Other nodes may hold some of what was due. */
const afterClaimMs = 20;

/** Receives claims and ends of jobs by type. `own`: the handler ended the job itself. */
export type JobObserver = {
  jobsClaimed(type: string, jobs: number): void;
  jobEnded(type: string, outcome: JobEnd["kind"] | "own"): void;
};

/** `heldUntil`: when the lease ends by the monotonic clock. */
type Running = { claim: JobClaim; interruption: Interruption; heldUntil: number; done: Promise<void> };

/**
 * Claims due jobs and runs their handlers. The table is the queue; the timer is only a hint when to check again, and
 * `poke` a hint to check now.
 */
export class JobRunner {
  readonly #store: JobStore;
  readonly #handlers: readonly JobHandler[];
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #log: Log;
  readonly #observer: JobObserver | null;
  readonly #diskClock: Clock;
  readonly #isPaused: (type: JobType) => boolean;
  readonly #faultListeners = new Set<(error: unknown) => void>();
  readonly #running = new Map<string, Running>();
  readonly #counts = new Map<JobHandler, number>();
  /** Jobs whose outcome cannot be written to disk. Meanwhile nothing is claimed, because its outcome could not be either. */
  readonly #stuck = new Set<Interruption>();
  #isStarted = false;
  #checking: Promise<void> | null = null;
  #checkAgain = false;
  #cancelTimer = (): void => {};
  #cancelRenewal = (): void => {};

  /**
   * `diskClock`: the real clock even if time is simulated, because the disk is real. `isPaused`: whether jobs of this type
   * must not start now; `poke` must be called when that changes.
   */
  constructor(
    store: JobStore,
    handlers: readonly JobHandler[],
    clock: Clock,
    ids: Ids,
    log: Log,
    {
      observer = null,
      diskClock = clock,
      isPaused = () => false,
    }: { observer?: JobObserver | null; diskClock?: Clock; isPaused?: (type: JobType) => boolean } = {},
  ) {
    this.#isPaused = isPaused;
    this.#diskClock = diskClock;
    this.#observer = observer;
    this.#store = store;
    this.#handlers = handlers;
    this.#clock = clock;
    this.#ids = ids;
    this.#log = log;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#renewLater();
    this.poke();
  }

  /** Stops claiming jobs, aborts the running ones, and waits for them, at most `drainMs`. */
  async stop(drainMs: number): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#cancelTimer();
    this.#cancelRenewal();
    await this.#checking;
    const reason = new Error("The server is stopping");
    for (const { interruption } of this.#running.values()) interruption.abort(reason);
    let cancel = (): void => {};
    const tooLong = new Promise<void>((resolve) => (cancel = this.#clock.after(drainMs, resolve)));
    await Promise.race([this.#allDone(), tooLong]);
    cancel();
  }

  /** Checks for due jobs as soon as possible. Cheap to call often. */
  poke(): void {
    if (!this.#isStarted) return;
    if (this.#checking !== null) {
      this.#checkAgain = true;
      return;
    }
    this.#checking = runOutsideRequest(() => this.#checkInTurn())
      .catch((error: unknown) => {
        this.#log.error({ err: error }, "could not check for due jobs");
        if (diskFaultOf(error) !== null) this.#reportFault(error);
        this.#cancelTimer();
        this.#cancelTimer = this.#diskClock.after(diskRetryMs, () => this.poke());
      })
      .finally(() => {
        this.#checking = null;
        if (!this.#checkAgain) return;
        this.#checkAgain = false;
        this.poke();
      });
  }

  /** Calls `listener` whenever a job fails to write to the disk. The returned function unsubscribes. */
  onDiskFault(listener: (error: unknown) => void): () => void {
    this.#faultListeners.add(listener);
    return () => this.#faultListeners.delete(listener);
  }

  get isBusy(): boolean {
    return this.#checking !== null || this.#running.size > 0;
  }

  /** Resolves when nothing is due and nothing is running. For tests, which advance the clock manually. */
  async idle(): Promise<void> {
    while (this.#checking !== null || this.#running.size > 0) {
      await this.#checking;
      await this.#allDone();
    }
  }

  async #allDone(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Waits for the next turn of the event loop, so that one check and one claim suffice when many jobs end in this turn. */
  async #checkInTurn(): Promise<void> {
    await pause();
    while (await this.#check()) if (!this.#isStarted) return;
  }

  /** Returns true if more jobs can be claimed immediately. */
  async #check(): Promise<boolean> {
    this.#cancelTimer();
    if (this.#stuck.size > 0) {
      this.#sleep(diskRetryMs);
      return false;
    }
    // `poke` is called when a job ends of a handler that has no room now.
    const ready = this.#handlers.filter((handler) => this.#hasRoom(handler) && !this.#isPaused(handler.type));
    const dueTimes = await this.#store.dueTimes(ready.map(({ type }) => type));
    const now = this.#clock.now();
    const due = ready.filter(({ type }) => (dueTimes.get(type) ?? Infinity) <= now);
    // Concurrently, so that the claims share a commit.
    const mayBeMore = await Promise.all(due.map((handler) => this.#claimAndStart(handler)));
    if (mayBeMore.includes(true)) return true;
    const wakeAt = Math.min(...ready.map(({ type }) => dueTimes.get(type) ?? Infinity));
    if (this.#isStarted) this.#sleep(due.length > 0 ? afterClaimMs : wakeAt - now);
    return false;
  }

  /** Returns true if more may be due. */
  async #claimAndStart(handler: JobHandler): Promise<boolean> {
    const heldUntil = performance.now() + leaseMs;
    const { jobs, more } = await this.#claim(handler, this.#roomOf(handler));
    if (jobs.length > 0) this.#observer?.jobsClaimed(handler.type, jobs.length);
    for (const job of jobs) this.#start(handler, job, heldUntil);
    return more;
  }

  /** `more`: others may be due. */
  async #claim(handler: JobHandler, limit: number): Promise<{ jobs: Job[]; more: boolean }> {
    const now = this.#clock.now();
    const leaseUntil = now + leaseMs;
    if (handler.claim !== undefined) return handler.claim({ limit, now, leaseUntil });
    const jobs = await this.#store.claim({ type: handler.type, limit, now, leaseUntil });
    return { jobs, more: jobs.length === limit };
  }

  #runningOf(handler: JobHandler): number {
    return this.#counts.get(handler) ?? 0;
  }

  #roomOf(handler: JobHandler): number {
    return handler.concurrency - this.#runningOf(handler);
  }

  #hasRoom(handler: JobHandler): boolean {
    return this.#roomOf(handler) >= (handler.claimedTogether ?? 1);
  }

  #count(handler: JobHandler, change: 1 | -1): void {
    this.#counts.set(handler, this.#runningOf(handler) + change);
  }

  #sleep(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(Math.min(Math.max(ms, 0), maxSleepMs), () => this.poke());
  }

  #start(handler: JobHandler, job: Job, heldUntil: number): void {
    // Includes the attempt, because a job whose claim was lost may be claimed again before its previous run has ended.
    const key = `${handler.type}:${job.id}:${job.attempt}`;
    const interruption = new Interruption();
    const claim: JobClaim = { id: job.id, attempt: job.attempt };
    this.#count(handler, 1);
    const running: Running = { claim, interruption, heldUntil, done: Promise.resolve() };
    this.#running.set(key, running);
    running.done = this.#run(handler, job, running).finally(() => {
      this.#running.delete(key);
      this.#count(handler, -1);
      this.poke();
    });
  }

  /** Never throws: if the end of a job can't be stored, its lease expires. */
  async #run(handler: JobHandler, job: Job, running: Running): Promise<void> {
    const { claim, interruption } = running;
    try {
      const end = await this.#endOf(handler, job, running);
      this.#observer?.jobEnded(handler.type, end?.kind ?? "own");
      if (end === null) return;
      const isOurs = await this.#retryOnDiskFault(job, () => this.#store.end(claim, end), interruption);
      if (!isOurs) await handler.onClaimLost?.(job);
      else if (isFinal(end)) await handler.onEnded?.(job, end);
    } catch (error) {
      this.#log.error({ err: error, jobId: job.id, type: job.type }, "could not end a job");
    }
  }

  #retryOnDiskFault<T>({ id: jobId, type }: Job, write: () => Promise<T>, interruption: Interruption): Promise<T> {
    const onFault = (error: unknown): void => {
      this.#stuck.add(interruption);
      this.#reportFault(error);
      this.#log.error({ err: error, jobId, type }, "could not store the outcome of a job; retrying soon");
    };
    return retryOnDiskFault(write, { clock: this.#diskClock, interruption, onFault }).finally(() =>
      this.#stuck.delete(interruption),
    );
  }

  async #endOf(handler: JobHandler, job: Job, running: Running): Promise<JobEnd | null> {
    const { claim, interruption } = running;
    if (job.failures >= job.maxAttempts) return this.#failed(job, "The job was interrupted too often.");
    try {
      return await handler.run(job, {
        claim,
        get signal() {
          return interruption.signal;
        },
        // Not by the clock, which may be changed, or stand still for a process that is stopped.
        isHeld: () => performance.now() < running.heldUntil,
        leaseUntil: () => this.#clock.now() + leaseMs,
        retryOnDiskFault: (write) => this.#retryOnDiskFault(job, write, interruption),
      });
    } catch (error) {
      const at = this.#clock.now();
      const again = { kind: "again", metadata: {}, at, countsAsAttempt: false } as const;
      if (interruption.isAborted) return { ...again, message: "Interrupted; resuming soon", runAt: at };
      this.#log.warn({ err: error, jobId: job.id, type: job.type, attempt: job.attempt }, "job failed");
      const fault = diskFaultOf(error);
      if (fault !== null) {
        this.#reportFault(error);
        return { ...again, message: `Retrying automatically: ${fault.words}.`, runAt: at + diskRetryMs };
      }
      if (job.failures + 1 >= job.maxAttempts) return this.#failed(job, "Each attempt ended with an internal error.");
      const runAt = at + retryDelayMs(job.failures + 1, this.#ids.random());
      return { ...again, message: `Attempt failed; retrying at ${isoTime(runAt)}`, runAt, countsAsAttempt: true };
    }
  }

  #reportFault(error: unknown): void {
    for (const listener of this.#faultListeners) listener(error);
  }

  #failed(job: Job, reason: string): JobEnd {
    const message = `Failed after ${job.maxAttempts} attempts. ${reason}`;
    return { kind: "failed", message, metadata: {}, at: this.#clock.now() };
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#clock.after(renewEveryMs, () => {
      void this.#renew().finally(() => {
        if (this.#isStarted) this.#renewLater();
      });
    });
  }

  async #renew(): Promise<void> {
    const renewed = [...this.#running.values()];
    const claims = renewed.map(({ claim }) => claim);
    if (claims.length === 0) return;
    const heldUntil = performance.now() + leaseMs;
    try {
      const lost = new Set(await this.#store.renew(claims, this.#clock.now() + leaseMs));
      for (const running of renewed)
        if (lost.has(running.claim.id)) running.interruption.abort(new Error("The claim was lost"));
        else running.heldUntil = heldUntil;
    } catch (error) {
      this.#log.error({ err: error }, "could not renew leases");
    }
  }
}
