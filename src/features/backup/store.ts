import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { NewEvent } from "../../platform/events/model.ts";

/** Outcome of a backup run: its event and, if applicable, its audit log entry. */
export type BackupEnd = { name: string; event: NewEvent; audit?: AuditEntry };

/**
 * Records which backups are running, so that the outcome of every run is reported. The archives are stored elsewhere.
 */
export type BackupStore = {
  /** Records that a run was started, durably. */
  begin(name: string): Promise<void>;
  /** Stores the outcome and removes the run from the running ones, in one transaction. */
  end(end: BackupEnd): Promise<void>;
  /** Names of runs without an outcome. The database copy in a backup contains none. */
  begun(): Promise<string[]>;
};
