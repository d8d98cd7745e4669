import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditAction, AuditEvent } from "../../platform/auth/audit/model.ts";
import type { AuditService } from "../../platform/auth/audit/service.ts";
import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import { ApiError, notFound } from "../../platform/base/errors.ts";
import { shortReason } from "../../platform/events/model.ts";
import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { Log } from "../../platform/base/log.ts";
import { startThread, type Thread } from "../../threads.ts";
import type { ArchiveStore, OwnArchives, StoredArchive } from "./archive-store.ts";
import type { BackupMessage, BackupOrder } from "./backup-thread.ts";
import { lookInto, placeProblem } from "./look-into.ts";
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
  store: BackupStore;
  audit: AuditService;
  archives: ArchiveStore;
  place: ArchivePlace;
  /** Its id; archives are named by it. */
  installation: string;
  /** Where backups of earlier versions are its own, too: in the data directory. */
  ownFolder: string;
  schedule: string | null;
  keep: number;
  version: string;
  databasePath: string;
  blobsPath: string;
  clock: Clock;
  log: Log;
};

/** `caller` is null for the schedule. */
type Run = BackupRunView & { caller: Caller | null; done: Promise<void> };
type Outcome = Pick<BackupRunView, "message"> &
  ({ status: "completed"; progress: 100; bytes: number; missing: BackupRunView["missing"] } | { status: "failed" });

/** A stopping server does not wait longer for a backup to end; what it leaves is swept by the next one. */
const stopMs = 5_000;

/** Makes backups in a thread, one at a time, and keeps the newest of its own. */
export class BackupService {
  readonly #parts: BackupParts;
  readonly #isOwn: OwnArchives;
  #running: Run | null = null;
  #last: BackupRunView | null = null;
  #thread: Thread<{ stop: true }, BackupMessage> | null = null;
  /** Ends that could not be told yet, oldest first. */
  readonly #owed: BackupEnd[] = [];
  #isStopped = false;

  constructor(parts: BackupParts) {
    this.#parts = parts;
    this.#isOwn = ownArchives(parts.installation, parts.place, parts.ownFolder);
  }

  async list(caller: Caller): Promise<BackupList> {
    requireAdmin(caller);
    const { archives, place, schedule, keep } = this.#parts;
    const { stored, problem } = await lookInto(archives, place);
    const backups = stored.map((archive) => this.#viewOf(archive));
    const runs = { running: runView(this.#running), last: this.#last };
    return { backups, ...runs, place: archives.place, problem, schedule, keep };
  }

  /** How it goes or went, or that it is there. NOT_FOUND for one that is not, SERVICE_UNAVAILABLE when nobody can look. */
  async get(caller: Caller, name: string): Promise<BackupRunView> {
    requireAdmin(caller);
    for (const run of [this.#running, this.#last]) if (run?.name === name) return runView(run)!;
    const { bytes } = await this.#find(name);
    const at = madeAt(name);
    const ended = { startedAt: at, endedAt: at, progress: 100, bytes, missing: [] };
    return { name, status: "completed", message: "Complete", ...ended };
  }

  /** Begins one. CONFLICT while one is being made. */
  start(caller: Caller, prune: boolean): BackupRunView {
    requireAdmin(caller);
    return runView(this.#begin(caller, prune))!;
  }

  /** For the schedule: makes one, unless one is being made. Never rejects for what goes wrong: that is told. */
  async runScheduled(): Promise<void> {
    if (this.#running === null) await this.#begin(null, true).done;
  }

  /** The archive of that name. NOT_FOUND when there is none. */
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

  /** At a start: warns of a place that can't be used. That is no reason not to start: its disk may be mounted later. */
  async checkPlace(): Promise<void> {
    const { archives, place, log } = this.#parts;
    const { problem } = await lookInto(archives, place);
    if (problem !== null) log.warn({ place: archives.place, problem }, "no backup can be made");
  }

  /** At a start: tells the ends of those that a process before this one has begun. Never rejects. */
  async tellCutOff(): Promise<void> {
    const { archives, store, log } = this.#parts;
    try {
      for (const name of await store.begun()) {
        if (name === this.#running?.name) continue;
        const found = await archives.find(name);
        await this.#tell(name, null, found === null ? cutOff : completed(found.bytes, []));
      }
    } catch (error) {
      log.error({ err: error, place: archives.place }, "could not look for backups that were cut off");
    }
  }

  /** Tells what a full disk has kept from being told. Fails with the disk. */
  async tellOwed(): Promise<void> {
    for (let end = this.#owed.shift(); end !== undefined; end = this.#owed.shift()) {
      try {
        await this.#parts.store.end(end);
      } catch (error) {
        this.#owed.unshift(end);
        throw error;
      }
    }
  }

  /** Breaks off what is being made. Safe to call twice. */
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
      throw new ApiError("SERVICE_UNAVAILABLE", { message: placeProblem(cause, archives, place), cause });
    }
  }

  #begin(caller: Caller | null, prune: boolean): Run {
    if (this.#running !== null)
      throw new ApiError("CONFLICT", {
        message: `The backup ${this.#running.name} is being made. Wait until it is complete.`,
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
    run.done = this.#make(run, startedAt, prune).finally(() => {
      this.#last = runView(run);
      this.#running = null;
    });
    return run;
  }

  /** Never rejects. Who sees its end finds the event. */
  async #make(run: Run, startedAt: number, prune: boolean): Promise<void> {
    const outcome = await this.#outcomeOf(run, startedAt, prune);
    const endedAt = await this.#tell(run.name, run.caller, outcome);
    Object.assign(run, outcome, { endedAt: isoTime(endedAt) });
  }

  async #outcomeOf(run: Run, startedAt: number, prune: boolean): Promise<Outcome> {
    const { archives, clock, log, store } = this.#parts;
    const { place } = archives;
    try {
      await store.begin(run.name);
      await archives.sweep(this.#isOwn);
      const { bytes, files, missing } = await this.#copy(run, startedAt);
      const notes = missing.length === 0 ? [] : [`without ${missing.length} of its files, which were gone or changed`];
      if (prune) notes.push(...(await this.#prune()));
      const seconds = (clock.now() - startedAt) / 1000;
      log.info({ name: run.name, place, bytes, files, missing: missing.length, seconds }, "backup completed");
      return completed(bytes, missing, notes);
    } catch (error) {
      log.error({ err: error, name: run.name, place }, "backup failed");
      return { status: "failed", message: reasonOf(error) };
    }
  }

  /** Answers when it ended. On a disk that takes no writes the event is owed. */
  async #tell(name: string, caller: Caller | null, outcome: Outcome): Promise<number> {
    const at = this.#parts.clock.now();
    this.#owed.push(endOf(name, caller, at, outcome));
    await this.tellOwed().catch((error: unknown) =>
      this.#parts.log.warn({ err: error, name }, "could not tell the end of a backup, tried again soon"),
    );
    return at;
  }

  async #copy(run: Run, createdAt: number): Promise<Extract<BackupMessage, { kind: "completed" }>> {
    const { version, place, databasePath, blobsPath } = this.#parts;
    const order: BackupOrder = { name: run.name, version, createdAt, place, databasePath, blobsPath };
    const thread = startThread<{ stop: true }, BackupMessage>("backup", order);
    this.#thread = thread;
    if (this.#isStopped) thread.post({ stop: true });
    try {
      return await new Promise((resolve, reject) => {
        thread.onMessage((message) => {
          if (message.kind === "progress") run.progress = Math.floor((message.bytes / message.ofBytes) * 99);
          else if (message.kind === "completed") resolve(message);
          else reject(Object.assign(new Error(message.message), { code: message.code }));
        });
        void thread.closed.then((reason) => reject(reason ?? new Error("It was stopped.")));
      });
    } finally {
      thread.stop();
      this.#thread = null;
    }
  }

  /** Answers what there is to say about it. When it goes wrong the new backup is no worse. */
  async #prune(): Promise<string[]> {
    const { archives, keep, log } = this.#parts;
    try {
      const all = await archives.list();
      for (const { name } of all.filter(({ name }) => this.#isOwn(name)).slice(keep)) {
        await archives.remove(name);
        log.info({ name, place: archives.place }, "deleted an old backup");
      }
      const nameless = all.filter(({ name }) => installationOfArchive(name) === null && !this.#isOwn(name)).length;
      if (nameless === 0) return [];
      log.warn({ nameless, place: archives.place }, "kept backups without the id of a server: delete them by hand");
      return [`kept ${nameless} without the id of a server, to be deleted by hand`];
    } catch (error) {
      log.error({ err: error, place: archives.place }, "could not delete old backups");
      return ["older ones could not be deleted, the log tells why"];
    }
  }

  #viewOf({ name, bytes }: StoredArchive): BackupView {
    return { name, createdAt: madeAt(name), bytes, isOwn: this.#isOwn(name) };
  }
}

function completed(bytes: number, missing: BackupRunView["missing"], notes: readonly string[] = []): Outcome {
  return { status: "completed", message: ["Complete", ...notes].join("; "), progress: 100, bytes, missing };
}

function endOf(name: string, caller: Caller | null, at: number, outcome: Outcome): BackupEnd {
  if (outcome.status === "failed") {
    const data = { name, reason: shortReason(outcome.message) };
    return { name, event: { type: "backup.failed", userId: null, at, data } };
  }
  const facts = { bytes: outcome.bytes, missing: outcome.missing.length };
  return {
    name,
    event: { type: "backup.completed", userId: null, at, data: { name, ...facts } },
    audit: auditEntry(caller, at, { ...auditOf("backup.made", name), details: facts }),
  };
}

function auditOf(action: AuditAction, name: string): AuditEvent {
  return { action, userId: null, target: { type: "backup", id: name } };
}

const cutOff: Outcome = {
  status: "failed",
  message: "No backup was made: the server ended before it was complete.",
};

/** For the operator, who may see internals. */
function reasonOf(error: unknown): string {
  const fault = diskFaultOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return fault === null
    ? `No backup was made: ${message}`
    : `No backup was made: ${fault.words} (${message}). ${fault.hint}`;
}

function madeAt(name: string): string {
  return isoTime(timeOfArchive(name) ?? 0);
}

function runView(run: BackupRunView | null): BackupRunView | null {
  if (run === null) return null;
  const { name, status, startedAt, endedAt, progress, bytes, missing, message } = run;
  return { name, status, startedAt, endedAt, progress, bytes, missing, message };
}
