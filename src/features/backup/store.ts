import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import type { BackupRunView } from "./model.ts";
import type { NewRun, Refusal, SharedRuns } from "./shared-runs.ts";

/** Outcome of a backup run: its event and, if applicable, its audit log entry. */
export type BackupEnd = {
  run: BackupRunView;
  event: NewEvent;
  audit?: AuditEntry;
  /** Another process ran it, and may have stored its outcome meanwhile; then nothing is stored. */
  isInterrupted?: true;
};

/**
 * Records which backups are running, so that the outcome of every run is reported, and so that nodes that share a database
 * run one at a time. The archives are stored elsewhere.
 */
export type BackupStore = {
  /** Records that a run was started, durably. Otherwise returns why it must not be started. */
  begin(run: NewRun): Promise<Refusal | null>;
  /** Stores the outcome and removes the run from the running ones, in one transaction. */
  end(end: BackupEnd): Promise<void>;
  /** Names of runs without an outcome whose process is gone at `now`. The database copy in a backup contains none. */
  interrupted(now: number): Promise<string[]>;
  /** Null if only this process uses the database, and so knows everything about its runs. */
  shared: {
    /** Lets other nodes know how far a run is. */
    report(name: string, progress: number): Promise<void>;
    read(): Promise<SharedRuns>;
  } | null;
};
