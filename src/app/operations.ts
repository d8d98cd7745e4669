import { Readiness } from "../platform/operations/readiness.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { Log } from "../platform/base/log.ts";
import { Operations } from "../platform/operations/operations.ts";
import type { SteadyClock } from "../platform/base/steady-clock.ts";
import type { Storage } from "../adapters/storage/storage.ts";

export type OperationsParts = {
  storage: Storage;
  clock: SteadyClock;
  /** What keeps jobs from running, as half a sentence; null when nothing does. */
  checkRunning: () => string | null;
  isSimulation: boolean;
  /** Some job may begin. */
  poke: () => void;
  log: Log;
};

/** Whether the server is ready, takes writes and sends. */
export async function composeOperations({ storage, clock, checkRunning, isSimulation, poke, log }: OperationsParts) {
  const checkReady = async (): Promise<string | null> => {
    const problem = checkRunning();
    if (problem === null) await storage.check();
    return problem;
  };
  const readiness = new Readiness(checkReady, clock.system, log);
  // What a simulation has done lies in its own time, and nothing of it is sent.
  if (!isSimulation) clock.raiseTo((await storage.operations.latestTime()) ?? 0);
  const operations = new Operations({
    store: storage.operations,
    clock: isSimulation ? { now: () => clock.now(), behindMs: () => 0 } : clock,
    damage: () => readiness.damage?.message ?? null,
    onChange: poke,
    log,
  });
  await operations.load();
  operations.watchClock();
  const chores: Chore[] = [
    { name: "watch the clock", pattern: "* * * * * *", run: () => operations.watchClock() },
    { name: "keep the time", pattern: "7 * * * * *", run: () => operations.keepTime() },
  ];
  return {
    readiness,
    operations,
    chores,
    async stop(): Promise<void> {
      if (isSimulation) return;
      await operations
        .keepTime()
        .catch((error: unknown) => log.error({ err: error }, "could not remember the time of the clock"));
    },
  };
}
