import { runOutsideRequest } from "../../lib/concurrency/outside-request.ts";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { isoTime, type Clock } from "../../platform/base/clock.ts";
import type { FilesPlace } from "../../platform/blobs/place.ts";
import { ApiError, notFound } from "../../platform/base/errors.ts";
import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { Log } from "../../platform/base/log.ts";
import { startThread, type Thread } from "../../threads.ts";
import type { ArchiveStore, OwnArchives, StoredArchive } from "./archive-store.ts";
import type { BackupMessage, BackupRequest } from "./backup-thread.ts";
import { inspectDestination, destinationProblem } from "./inspect-destination.ts";
import {
  archiveName,
  installationOfArchive,
  timeOfArchive,
  type BackupList,
  type BackupRunView,
  type BackupView,
} from "./model.ts";
import { ownArchives } from "./own-archives.ts";
import type { ArchivePlace } from "./place.ts";
import {
  alreadyRunning,
  auditOf,
  completed,
  createdAtOf,
  endOf,
  interrupted,
  newRun,
  reasonOf,
  runView,
  type Outcome,
  type Run,
} from "./run.ts";
import { shortestGapMs } from "./schedule.ts";
import type { ServerDatabase } from "./snapshot-store.ts";
import type { Refusal, SharedRuns } from "./shared-runs.ts";
import type { BackupEnd, BackupStore } from "./store.ts";

export type BackupParts = {
  store: BackupStore;
  audit: AuditService;
  archives: ArchiveStore;
  place: ArchivePlace;
  /** ID of this process. */
  node: string;
  /** ID of this installation, used in archive names. */
  installation: string;
  /** Folder in the data directory, where backups of earlier versions count as own. */
  ownFolder: string;
  schedule: string | null;
  keep: number;
  version: string;
  databasePath: string;
  /** The database on a server; null: the embedded one. */
  server: ServerDatabase | null;
  files: FilesPlace;
  clock: Clock;
  log: Log;
};

/** How often other nodes learn how far a backup is. */
const reportEveryMs = 2_000;
/** Time a stopping server waits for a backup. Leftovers are swept by the next backup. */
const stopMs = 5_000;

/** Creates backups in a thread, one at a time on all nodes, and keeps the newest ones of this installation. */
export class BackupService {
  readonly #parts: BackupParts;
  readonly #isOwn: OwnArchives;
  #running: Run | null = null;
  #last: BackupRunView | null = null;
  /** What was last read about the runs of all nodes. */
  #shared: SharedRuns | null = null;
  /** Start of the newest backup of this server that is known; null if none is. */
  #newestAt: number | null = null;
  #thread: Thread<{ stop: true }, BackupMessage> | null = null;
  /** Completed runs whose event could not be stored yet, oldest first. */
  readonly #pendingOutcomes: BackupEnd[] = [];
  #isStopped = false;

  constructor(parts: BackupParts) {
    this.#parts = parts;
    this.#isOwn = ownArchives(parts.installation, parts.place, parts.ownFolder);
  }

  async list(caller: Caller): Promise<BackupList> {
    requireAdmin(caller);
    const { archives, place, schedule, keep } = this.#parts;
    const { stored, problem } = await inspectDestination(archives, place);
    const backups = stored.map((archive) => this.#viewOf(archive));
    const runs = await this.#runs();
    return { backups, ...runs, place: archives.place, problem, schedule, keep };
  }

  /**
   * Status of a run or a stored backup. Throws NOT_FOUND if it does not exist, and SERVICE_UNAVAILABLE if the
   * destination cannot be read.
   */
  async get(caller: Caller, name: string): Promise<BackupRunView> {
    requireAdmin(caller);
    const { running, last } = await this.#runs();
    for (const run of [running, last]) if (run?.name === name) return run;
    const { bytes } = await this.#find(name);
    const at = createdAtOf(name);
    const ended = { startedAt: at, endedAt: at, progress: 100, bytes, missing: [] };
    return { name, status: "completed", message: "Complete", ...ended };
  }

  /** For metrics. `newestAt`: when the newest backup of this installation was begun; null if none is known. */
  get state(): { newestAt: number | null; hasLastFailed: boolean; isScheduled: boolean } {
    const { last, newestAt } = this.#shared ?? { last: this.#last, newestAt: null };
    const known = [this.#newestAt, newestAt].filter((at) => at !== null);
    const newest = known.length === 0 ? null : Math.max(...known);
    return { newestAt: newest, hasLastFailed: last?.status === "failed", isScheduled: this.#parts.schedule !== null };
  }

  /** Starts a backup. Throws CONFLICT while another one is running, on whichever node. */
  async start(caller: Caller, prune: boolean): Promise<BackupRunView> {
    requireAdmin(caller);
    if (this.#running !== null) throw alreadyRunning(this.#running.name);
    if (this.#isStopped) throw new ApiError("SERVICE_UNAVAILABLE", { message: "The server is stopping." });
    // The run outlives the request, so what it stores is not part of it.
    const { run, begun } = runOutsideRequest(() => this.#startRun(caller, prune));
    const refusal = await begun;
    if (refusal?.kind === "running") throw alreadyRunning(refusal.name);
    return runView(run);
  }

  /**
   * Runs a scheduled backup unless one is already running, or another node has done this turn. Never rejects: failures are
   * reported as events.
   */
  async runScheduled(): Promise<void> {
    if (this.#running === null && !this.#isStopped) await this.#startRun(null, true).run.done;
  }

  /** Learns of the backups of other nodes. */
  async follow(): Promise<void> {
    const { shared } = this.#parts.store;
    if (shared !== null) this.#shared = await shared.read();
  }

  /** Opens an archive. Throws NOT_FOUND if it does not exist. */
  async download(caller: Caller, name: string) {
    requireAdmin(caller);
    const found = await this.#find(name);
    await this.#parts.audit.note(caller, auditOf("backup.downloaded", name));
    return found;
  }

  async remove(caller: Caller, name: string): Promise<void> {
    requireAdmin(caller);
    await this.#find(name);
    await this.#parts.audit.note(caller, auditOf("backup.deleted", name));
    await this.#parts.archives.remove(name);
  }

  /** Logs a warning at startup if the destination is unavailable. Not fatal: its disk may be mounted later. */
  async checkDestination(): Promise<void> {
    const { archives, place, log } = this.#parts;
    await this.follow().catch((error: unknown) => log.warn({ err: error }, "could not read the state of backups"));
    const { problem, stored } = await inspectDestination(archives, place);
    const times = stored.filter(({ name }) => this.#isOwn(name)).flatMap(({ name }) => timeOfArchive(name) ?? []);
    if (times.length > 0) this.#newestAt = Math.max(this.#newestAt ?? 0, ...times);
    if (problem !== null) log.warn({ place: archives.place, problem }, "backup destination is unavailable");
  }

  /** Reports the outcome of runs whose process is gone. Never rejects. */
  async reportInterrupted(): Promise<void> {
    const { archives, clock, store, log } = this.#parts;
    try {
      for (const name of await store.interrupted(clock.now())) {
        if (name === this.#running?.name) continue;
        const found = await archives.find(name);
        const outcome = found === null ? interrupted : completed(found.bytes, []);
        await this.#storeOutcome(newRun(name, null), outcome, { isInterrupted: true });
      }
    } catch (error) {
      log.error({ err: error, place: archives.place }, "could not check for interrupted backups");
    }
  }

  /** Stores outcomes that a full disk prevented from being stored. Throws the error of the disk. */
  async storePendingOutcomes(): Promise<void> {
    for (let end = this.#pendingOutcomes.shift(); end !== undefined; end = this.#pendingOutcomes.shift()) {
      try {
        await this.#parts.store.end(end);
      } catch (error) {
        this.#pendingOutcomes.unshift(end);
        throw error;
      }
    }
  }

  /** Aborts a running backup. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#thread?.post({ stop: true });
    await Promise.race([this.#running?.done, Bun.sleep(stopMs)]);
  }

  async #find(name: string) {
    const { archives, place } = this.#parts;
    const found = timeOfArchive(name) === null ? null : await archives.find(name).catch(refuse);
    if (found === null) throw notFound("backup", name);
    return found;

    function refuse(cause: unknown): never {
      throw new ApiError("SERVICE_UNAVAILABLE", { message: destinationProblem(cause, archives, place), cause });
    }
  }

  /** Own runs are known better than other nodes know them. */
  async #runs(): Promise<{ running: BackupRunView | null; last: BackupRunView | null }> {
    await this.follow();
    const own = this.#running && runView(this.#running);
    const [last = null] = [this.#last, this.#shared?.last ?? null]
      .filter((run) => run !== null)
      .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    return { running: own ?? this.#shared?.running ?? null, last };
  }

  /** `begun`: why the run was refused, after which it has left no trace; null if it was not. Neither promise rejects. */
  #startRun(caller: Caller | null, prune: boolean): { run: Run; begun: Promise<Refusal | null> } {
    const { clock, installation } = this.#parts;
    const startedAt = clock.now();
    const run = newRun(archiveName(startedAt, installation), caller);
    this.#running = run;
    const begun = this.#begin(run, startedAt);
    run.done = begun
      .then(async (beginning) => {
        if (beginning.refusal !== null) return;
        await this.#runBackup(run, startedAt, prune, beginning.error);
        this.#last = runView(run);
      })
      .finally(() => (this.#running = null));
    return { run, begun: begun.then(async ({ refusal }) => (refusal === null || (await run.done), refusal)) };
  }

  /** `error`: the run could not be recorded, so it fails. */
  async #begin(run: Run, startedAt: number): Promise<{ refusal: Refusal | null; error: unknown }> {
    const { node, schedule, store } = this.#parts;
    // Otherwise, the run of a node that is gone would prevent all others.
    if (store.shared !== null) await this.reportInterrupted();
    const isScheduled = run.caller === null && schedule !== null;
    const scheduledWithinMs = isScheduled ? shortestGapMs(schedule, startedAt) / 2 : null;
    try {
      return { refusal: await store.begin({ run: runView(run), node, startedAt, scheduledWithinMs }), error: null };
    } catch (error) {
      return { refusal: null, error };
    }
  }

  /** Never rejects. The event is stored before the run is visible as ended. */
  async #runBackup(run: Run, startedAt: number, prune: boolean, beginError: unknown): Promise<void> {
    const outcome = beginError === null ? await this.#outcomeOf(run, startedAt, prune) : this.#failed(run, beginError);
    const endedAt = await this.#storeOutcome(run, outcome);
    await this.follow().catch(() => {}); // read again soon
    // Last: whoever sees the end may start the next run.
    Object.assign(run, outcome, { endedAt: isoTime(endedAt) });
  }

  async #outcomeOf(run: Run, startedAt: number, prune: boolean): Promise<Outcome> {
    const { archives, clock, log } = this.#parts;
    const { place } = archives;
    try {
      await archives.sweep(this.#isOwn);
      const { bytes, files, missing } = await this.#copy(run, startedAt);
      const notes =
        missing.length === 0 ? [] : [`${missing.length} files are missing because they were deleted or changed`];
      if (prune) notes.push(...(await this.#prune()));
      const seconds = (clock.now() - startedAt) / 1000;
      log.info({ name: run.name, place, bytes, files, missing: missing.length, seconds }, "backup completed");
      this.#newestAt = startedAt;
      return completed(bytes, missing, notes);
    } catch (error) {
      return this.#failed(run, error);
    }
  }

  #failed({ name }: Run, error: unknown): Outcome {
    const { archives, log } = this.#parts;
    log.error({ err: error, name, place: archives.place }, "backup failed");
    return { status: "failed", message: reasonOf(error) };
  }

  /** Stores the outcome and returns the end time. If the disk is full, the event is stored later. */
  async #storeOutcome(run: Run, outcome: Outcome, more: Pick<BackupEnd, "isInterrupted"> = {}): Promise<number> {
    const { clock, log } = this.#parts;
    const at = clock.now();
    const ended = runView({ ...run, ...outcome, endedAt: isoTime(at) });
    this.#pendingOutcomes.push({ ...endOf(ended, run.caller, at, outcome), ...more });
    await this.storePendingOutcomes().catch((error: unknown) =>
      log.warn({ err: error, name: run.name }, "could not store the outcome of a backup; retrying soon"),
    );
    return at;
  }

  async #copy(run: Run, createdAt: number): Promise<Extract<BackupMessage, { kind: "completed" }>> {
    const { version, place, databasePath, server, files } = this.#parts;
    const request: BackupRequest = { name: run.name, version, createdAt, place, databasePath, server, files };
    const thread = startThread<{ stop: true }, BackupMessage>("backup", request, { smol: true });
    this.#thread = thread;
    if (this.#isStopped) thread.post({ stop: true });
    const report = this.#reportRegularly(run);
    try {
      return await new Promise((resolve, reject) => {
        thread.onMessage((message) => {
          // 100 only once it is complete.
          if (message.kind === "progress") run.progress = Math.floor(message.percent * 0.99);
          else if (message.kind === "completed") resolve(message);
          else reject(Object.assign(new Error(message.message), { code: message.code }));
        });
        void thread.closed.then((reason) => reject(reason ?? new Error("Stopped.")));
      });
    } finally {
      clearInterval(report);
      thread.stop();
      this.#thread = null;
    }
  }

  #reportRegularly(run: Run): NodeJS.Timeout | undefined {
    const { shared } = this.#parts.store;
    // A report that fails is followed by another one.
    const report = () => void shared?.report(run.name, run.progress).catch(() => {});
    return shared === null ? undefined : setInterval(report, reportEveryMs);
  }

  /** Deletes old backups and returns notes for the user. A failure does not affect the new backup. */
  async #prune(): Promise<string[]> {
    const { archives, keep, log } = this.#parts;
    try {
      const all = await archives.list();
      for (const { name } of all.filter(({ name }) => this.#isOwn(name)).slice(keep)) {
        await archives.remove(name);
        log.info({ name, place: archives.place }, "old backup deleted");
      }
      const nameless = all.filter(({ name }) => installationOfArchive(name) === null && !this.#isOwn(name)).length;
      if (nameless === 0) return [];
      log.warn({ nameless, place: archives.place }, "kept backups without a server ID; delete them manually");
      return [`kept ${nameless} without a server ID; delete them manually`];
    } catch (error) {
      log.error({ err: error, place: archives.place }, "could not delete old backups");
      return ["older backups could not be deleted; see the log for the reason"];
    }
  }

  #viewOf({ name, bytes }: StoredArchive): BackupView {
    return { name, createdAt: createdAtOf(name), bytes, isOwn: this.#isOwn(name) };
  }
}
