import { auditEntry } from "../../platform/auth/audit/entry.ts";
import type { AuditAction, AuditEvent } from "../../platform/auth/audit/model.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import { isoTime } from "../../platform/base/clock.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { shortReason } from "../../platform/events/model.ts";
import { timeOfArchive, type BackupRunView } from "./model.ts";
import type { BackupEnd } from "./store.ts";

/** `caller` is null for scheduled runs. */
export type Run = BackupRunView & { caller: Caller | null; done: Promise<void> };
export type Outcome = Pick<BackupRunView, "message"> &
  ({ status: "completed"; progress: 100; bytes: number; missing: BackupRunView["missing"] } | { status: "failed" });

/** A run that is about to start. */
export function newRun(name: string, caller: Caller | null): Run {
  return {
    name,
    status: "running",
    startedAt: createdAtOf(name),
    endedAt: null,
    progress: 0,
    bytes: null,
    missing: [],
    message: "Copying the database and its files",
    caller,
    done: Promise.resolve(),
  };
}

export function alreadyRunning(name: string): ApiError {
  return new ApiError("CONFLICT", { message: `Backup ${name} is already running. Wait until it completes.` });
}

/** `notes`: clauses for the user. */
export function completed(bytes: number, missing: BackupRunView["missing"], notes: readonly string[] = []): Outcome {
  return { status: "completed", message: ["Complete", ...notes].join("; "), progress: 100, bytes, missing };
}

/** What is stored about the end of a run. */
export function endOf(run: BackupRunView, caller: Caller | null, at: number, outcome: Outcome): BackupEnd {
  const { name } = run;
  if (outcome.status === "failed") {
    const data = { name, reason: shortReason(outcome.message) };
    return { run, event: { type: "backup.failed", workspaceId: null, at, data } };
  }
  const facts = { bytes: outcome.bytes, missing: outcome.missing.length };
  return {
    run,
    event: { type: "backup.completed", workspaceId: null, at, data: { name, ...facts } },
    audit: auditEntry(caller, at, { ...auditOf("backup.made", name), details: facts }),
  };
}

/** What the audit log says about a backup. */
export function auditOf(action: AuditAction, name: string): AuditEvent {
  return { action, workspaceId: null, target: { type: "backup", id: name } };
}

/** The outcome of a run whose process is gone, and which left no archive. */
export const interrupted: Outcome = {
  status: "failed",
  message: "Backup failed: the server stopped before it was completed.",
};

/** Error message for the operator, who may see internals. */
export function reasonOf(error: unknown): string {
  const fault = diskFaultOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return fault === null ? `Backup failed: ${message}` : `Backup failed: ${fault.words} (${message}). ${fault.hint}`;
}

/** Start of the archive with this name, as text. */
export function createdAtOf(name: string): string {
  return isoTime(timeOfArchive(name) ?? 0);
}

/** Without what only this process needs. */
export function runView(run: BackupRunView): BackupRunView {
  const { name, status, startedAt, endedAt, progress, bytes, missing, message } = run;
  return { name, status, startedAt, endedAt, progress, bytes, missing, message };
}
