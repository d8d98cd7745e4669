import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { NewEvent } from "../../platform/events/model.ts";

/** How the making of a backup ended: the event that tells it, and what the audit log says of it, if anything. */
export type BackupEnd = { name: string; event: NewEvent; audit?: AuditEntry };

/** That backups are being made, so that none ends untold. What they hold lies elsewhere. */
export type BackupStore = {
  /** From here on it is one that was begun, also for the next process. */
  begin(name: string): Promise<void>;
  /** Tells the end, and that it is under way no more, at once. */
  end(end: BackupEnd): Promise<void>;
  /** Names of those that were begun and have no end. A copy of the database that a backup holds has none of them. */
  begun(): Promise<string[]>;
};
