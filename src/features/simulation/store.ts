import type { SimulationEvent, SimulationState } from "./model.ts";

/** The state that marks a database as a simulation. */
export type SimulationStore = {
  /** Null if the database is not a simulation. */
  read(): Promise<SimulationState | null>;
  /**
   * Marks the database as a simulation, or counts another start if it is one; returns the resulting state. From then
   * on, commits do not wait for the disk, because a simulation can be repeated.
   */
  start(seed: number, now: number): Promise<SimulationState>;
  setNow(now: number): Promise<void>;
  /** Events after `from` and up to `to`, in order. */
  eventsBetween(from: number, to: number): Promise<SimulationEvent[]>;
};
