import { timeOfArchive, type BackupRunView } from "./model.ts";

/** A run that is about to start. */
export type NewRun = {
  run: BackupRunView;
  /** ID of the process. */
  node: string;
  startedAt: number;
  /**
   * For scheduled runs: how long before this one another scheduled run counts as the same. Null: the run is not scheduled.
   */
  scheduledWithinMs: number | null;
};

/** What prevents a run: another one by another node, or that another node has done this turn of the schedule. */
export type Refusal = { kind: "running"; name: string } | { kind: "done" };

/** What all nodes of an installation know of its backups. */
export type SharedRuns = {
  running: BackupRunView | null;
  last: BackupRunView | null;
  /** Start of the newest run that was completed. */
  newestAt: number | null;
};

/** What nodes store about the backups of their installation. */
export type StoredRuns = SharedRuns & {
  /** The node of the running backup. */
  node: string | null;
  /** Start of the latest scheduled run. */
  scheduledAt: number | null;
};

export const noRuns: StoredRuns = { running: null, last: null, newestAt: null, node: null, scheduledAt: null };

/** Decides about a run: what is stored, or why it must not start. */
export function beginRun(
  runs: StoredRuns,
  { run, node, startedAt, scheduledWithinMs }: NewRun,
): { runs: StoredRuns; refusal: null } | { refusal: Refusal } {
  if (runs.running !== null) return { refusal: { kind: "running", name: runs.running.name } };
  if (scheduledWithinMs === null) return { runs: { ...runs, running: run, node }, refusal: null };
  // Schedules follow the clock of each machine. If the node that has taken the lead since has a slower one, the same turn
  // comes again.
  const isDone = runs.scheduledAt !== null && startedAt - runs.scheduledAt < scheduledWithinMs;
  if (isDone) return { refusal: { kind: "done" } };
  return { runs: { ...runs, running: run, node, scheduledAt: startedAt }, refusal: null };
}

/** What is stored after a run has ended; null if another process has reported it and its outcome was stored before. */
export function endRun(runs: StoredRuns, run: BackupRunView, isInterrupted: boolean): StoredRuns | null {
  const isRunning = runs.running?.name === run.name;
  if (isInterrupted && !isRunning) return null;
  const newestAt = run.status === "completed" ? Math.max(runs.newestAt ?? 0, timeOfArchive(run.name) ?? 0) : null;
  return {
    ...runs,
    ...(isRunning && { running: null, node: null }),
    last: run,
    newestAt: newestAt ?? runs.newestAt,
  };
}
