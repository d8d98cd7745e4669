import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditAction, AuditEvent } from "../../platform/auth/audit/model.ts";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { isoTime, type Clock } from "../../platform/base/clock.ts";
import type { FilesPlace } from "../../platform/blobs/place.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import { ApiError, notFound } from "../../platform/base/errors.ts";
import { shortReason } from "../../platform/events/model.ts";
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
import type { BackupEnd, BackupStore } from "./store.ts";

export type BackupParts = {
  /** Null if a database server holds the data, which this program cannot copy. */
  store: BackupStore | null;
  audit: AuditService;
  archives: ArchiveStore;
  place: ArchivePlace;
  /** ID of this installation, used in archive names. */
  installation: string;
  /** Folder in the data directory, where backups of earlier versions count as own. */
  ownFolder: string;
  schedule: string | null;
  keep: number;
  version: string;
  databasePath: string;
  files: FilesPlace;
  clock: Clock;
  log: Log;
};

/** `caller` is null for scheduled runs. */
type Run = BackupRunView & { caller: Caller | null; done: Promise<void> };
type Outcome = Pick<BackupRunView, "message"> &
  ({ status: "completed"; progress: 100; bytes: number; missing: BackupRunView["missing"] } | { status: "failed" });

/** Time a stopping server waits for a backup. Leftovers are swept by the next backup. */
const stopMs = 5_000;

/** Creates backups in a thread, one at a time, and keeps the newest ones of this server. */
export class BackupService {
  readonly #parts: BackupParts;
  readonly #isOwn: OwnArchives;
  #running: Run | null = null;
  #last: BackupRunView | null = null;
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
    const { archives, place, schedule, keep, store } = this.#parts;
    const inspected = await inspectDestination(archives, place);
    const { stored } = inspected;
    const problem = store === null ? unsupported : inspected.problem;
    const backups = stored.map((archive) => this.#viewOf(archive));
    const runs = { running: runView(this.#running), last: this.#last };
    return { backups, ...runs, place: archives.place, problem, schedule, keep };
  }

  /**
   * Status of a run or a stored backup. Throws NOT_FOUND if it does not exist, and SERVICE_UNAVAILABLE if the
   * destination cannot be read.
   */
  async get(caller: Caller, name: string): Promise<BackupRunView> {
    requireAdmin(caller);
    for (const run of [this.#running, this.#last]) if (run?.name === name) return runView(run)!;
    const { bytes } = await this.#find(name);
    const at = createdAtOf(name);
    const ended = { startedAt: at, endedAt: at, progress: 100, bytes, missing: [] };
    return { name, status: "completed", message: "Complete", ...ended };
  }

  /** For metrics. `newestAt`: when the newest backup of this server was begun; null if none is known. */
  get state(): { newestAt: number | null; hasLastFailed: boolean; isScheduled: boolean } {
    const hasLastFailed = this.#last?.status === "failed";
    return { newestAt: this.#newestAt, hasLastFailed, isScheduled: this.#parts.schedule !== null };
  }

  /** Starts a backup. Throws CONFLICT while another one is running, or if a database server holds the data. */
  start(caller: Caller, prune: boolean): BackupRunView {
    requireAdmin(caller);
    if (this.#parts.store === null) throw new ApiError("CONFLICT", { message: unsupported });
    return runView(this.#startRun(caller, prune))!;
  }

  /** Runs a scheduled backup unless one is already running. Never rejects: failures are reported as events. */
  async runScheduled(): Promise<void> {
    if (this.#running === null) await this.#startRun(null, true).done;
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
    const { archives, place, log, store } = this.#parts;
    if (store === null) return;
    const { problem, stored } = await inspectDestination(archives, place);
    const times = stored.filter(({ name }) => this.#isOwn(name)).flatMap(({ name }) => timeOfArchive(name) ?? []);
    if (times.length > 0) this.#newestAt = Math.max(this.#newestAt ?? 0, ...times);
    if (problem !== null) log.warn({ place: archives.place, problem }, "backup destination is unavailable");
  }

  /** Reports the outcome of runs that a previous process started, at startup. Never rejects. */
  async reportInterrupted(): Promise<void> {
    const { archives, store, log } = this.#parts;
    if (store === null) return;
    try {
      for (const name of await store.begun()) {
        if (name === this.#running?.name) continue;
        const found = await archives.find(name);
        await this.#storeOutcome(name, null, found === null ? interrupted : completed(found.bytes, []));
      }
    } catch (error) {
      log.error({ err: error, place: archives.place }, "could not check for interrupted backups");
    }
  }

  /** Stores outcomes that a full disk prevented from being stored. Throws the error of the disk. */
  async storePendingOutcomes(): Promise<void> {
    for (let end = this.#pendingOutcomes.shift(); end !== undefined; end = this.#pendingOutcomes.shift()) {
      try {
        await this.#parts.store?.end(end);
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

  #startRun(caller: Caller | null, prune: boolean): Run {
    if (this.#running !== null)
      throw new ApiError("CONFLICT", {
        message: `Backup ${this.#running.name} is already running. Wait until it completes.`,
      });
    if (this.#isStopped) throw new ApiError("SERVICE_UNAVAILABLE", { message: "The server is stopping." });
    const startedAt = this.#parts.clock.now();
    const name = archiveName(startedAt, this.#parts.installation);
    const run: Run = {
      name,
      status: "running",
      startedAt: isoTime(startedAt),
      endedAt: null,
      progress: 0,
      bytes: null,
      missing: [],
      message: "Copying the database and its files",
      caller,
      done: Promise.resolve(),
    };
    this.#running = run;
    run.done = this.#runBackup(run, startedAt, prune).finally(() => {
      this.#last = runView(run);
      this.#running = null;
    });
    return run;
  }

  /** Never rejects. The event is stored before the run is visible as ended. */
  async #runBackup(run: Run, startedAt: number, prune: boolean): Promise<void> {
    const outcome = await this.#outcomeOf(run, startedAt, prune);
    const endedAt = await this.#storeOutcome(run.name, run.caller, outcome);
    Object.assign(run, outcome, { endedAt: isoTime(endedAt) });
  }

  async #outcomeOf(run: Run, startedAt: number, prune: boolean): Promise<Outcome> {
    const { archives, clock, log, store } = this.#parts;
    const { place } = archives;
    try {
      await store?.begin(run.name);
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
      log.error({ err: error, name: run.name, place }, "backup failed");
      return { status: "failed", message: reasonOf(error) };
    }
  }

  /** Stores the outcome and returns the end time. If the disk is full, the event is stored later. */
  async #storeOutcome(name: string, caller: Caller | null, outcome: Outcome): Promise<number> {
    const at = this.#parts.clock.now();
    this.#pendingOutcomes.push(endOf(name, caller, at, outcome));
    await this.storePendingOutcomes().catch((error: unknown) =>
      this.#parts.log.warn({ err: error, name }, "could not store the outcome of a backup; retrying soon"),
    );
    return at;
  }

  async #copy(run: Run, createdAt: number): Promise<Extract<BackupMessage, { kind: "completed" }>> {
    const { version, place, databasePath, files } = this.#parts;
    const request: BackupRequest = { name: run.name, version, createdAt, place, databasePath, files };
    const thread = startThread<{ stop: true }, BackupMessage>("backup", request);
    this.#thread = thread;
    if (this.#isStopped) thread.post({ stop: true });
    try {
      return await new Promise((resolve, reject) => {
        thread.onMessage((message) => {
          if (message.kind === "progress") run.progress = Math.floor((message.bytes / message.ofBytes) * 99);
          else if (message.kind === "completed") resolve(message);
          else reject(Object.assign(new Error(message.message), { code: message.code }));
        });
        void thread.closed.then((reason) => reject(reason ?? new Error("Stopped.")));
      });
    } finally {
      thread.stop();
      this.#thread = null;
    }
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

function completed(bytes: number, missing: BackupRunView["missing"], notes: readonly string[] = []): Outcome {
  return { status: "completed", message: ["Complete", ...notes].join("; "), progress: 100, bytes, missing };
}

function endOf(name: string, caller: Caller | null, at: number, outcome: Outcome): BackupEnd {
  if (outcome.status === "failed") {
    const data = { name, reason: shortReason(outcome.message) };
    return { name, event: { type: "backup.failed", workspaceId: null, at, data } };
  }
  const facts = { bytes: outcome.bytes, missing: outcome.missing.length };
  return {
    name,
    event: { type: "backup.completed", workspaceId: null, at, data: { name, ...facts } },
    audit: auditEntry(caller, at, { ...auditOf("backup.made", name), details: facts }),
  };
}

function auditOf(action: AuditAction, name: string): AuditEvent {
  return { action, workspaceId: null, target: { type: "backup", id: name } };
}

const unsupported =
  "The data is in PostgreSQL, so back it up there: with pg_dump or point-in-time recovery, and with versions of the objects in the bucket. See docs/scale-out.md.";

const interrupted: Outcome = {
  status: "failed",
  message: "Backup failed: the server stopped before it was completed.",
};

/** Error message for the operator, who may see internals. */
function reasonOf(error: unknown): string {
  const fault = diskFaultOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return fault === null ? `Backup failed: ${message}` : `Backup failed: ${fault.words} (${message}). ${fault.hint}`;
}

function createdAtOf(name: string): string {
  return isoTime(timeOfArchive(name) ?? 0);
}

function runView(run: BackupRunView | null): BackupRunView | null {
  if (run === null) return null;
  const { name, status, startedAt, endedAt, progress, bytes, missing, message } = run;
  return { name, status, startedAt, endedAt, progress, bytes, missing, message };
}
