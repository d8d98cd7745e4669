import type { AuditEntry } from "../auth/audit/model.ts";
import type { MaintenanceState } from "./model.ts";

/** What the server remembers of its own operation. */
export type OperationsStore = {
  /** The latest time that a server on this data has shown or carried an action out at; null if there is none. */
  latestTime(): Promise<number | null>;
  /** Remembers a time, unless a later one is known. */
  keepTime(at: number): Promise<void>;
  /** Null while it is off. */
  maintenance(): Promise<MaintenanceState | null>;
  setMaintenance(state: MaintenanceState | null, audit: AuditEntry): Promise<void>;
  /**
   * Makes `now` the latest time, for a clock that was ahead until now: what was carried out later counts for its meters
   * from now on and keeps its own time beside that, deadlines set meanwhile move back by as much as the clock was ahead,
   * and sessions that began meanwhile end. Returns how many actions count from now on. Not while a server runs.
   */
  acceptTime(now: number, audit: AuditEntry): Promise<{ actions: number }>;
};
