import type { AuditEntry } from "../auth/audit/model.ts";
import type { MaintenanceState } from "./model.ts";

/** Operational state that survives a restart. */
export type OperationsStore = {
  /** The latest time that a server with this data has shown or performed an action at; null if there is none. */
  latestTime(): Promise<number | null>;
  /** Stores a time unless a later one is already stored. */
  keepTime(at: number): Promise<void>;
  /** Null if maintenance mode is disabled. */
  maintenance(): Promise<MaintenanceState | null>;
  setMaintenance(state: MaintenanceState | null, audit: AuditEntry): Promise<void>;
  /**
   * Makes `now` the latest time, for a clock that was ahead until now: actions with a later time count toward their caps
   * from now on (their own time is kept separately), deadlines set meanwhile move back by as much as the clock was ahead,
   * and sessions that started meanwhile end. Returns the number of these actions. Not while a server is running.
   */
  acceptTime(now: number, audit: AuditEntry): Promise<{ actions: number }>;
};
