import type { SimulationEvent, SimulationState } from "./model.ts";

/** What makes a database one of a simulation. */
export type SimulationStore = {
  /** Null: it is none. */
  read(): Promise<SimulationState | null>;
  /**
   * Makes it one, or counts one more start of the one that it is; answers how it stands then. From here on commits do
   * not wait for the disk: a simulation can be repeated.
   */
  start(seed: number, now: number): Promise<SimulationState>;
  setNow(now: number): Promise<void>;
  /** What ended behind `from` and up to `to`, in order. */
  eventsBetween(from: number, to: number): Promise<SimulationEvent[]>;
};
