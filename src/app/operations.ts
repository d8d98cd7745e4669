import { Readiness } from "../platform/operations/readiness.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { Log } from "../platform/base/log.ts";
import { Operations } from "../platform/operations/operations.ts";
import type { SteadyClock } from "../platform/base/clock.ts";
import type { Storage } from "../adapters/storage/storage.ts";

export type OperationsParts = {
  storage: Storage;
  clock: SteadyClock;
  /** Throws if files cannot be read or stored. */
  checkFiles: () => Promise<void>;
  /** Why the time is unknown, as a clause for a message; null if it is known. */
  checkTime: () => string | null;
  /** Why this process serves no requests, as a clause for a message; null if it does. */
  checkRunning: () => string | null;
  isSimulation: boolean;
  /** Signals that a job may start. */
  poke: () => void;
  log: Log;
};

/** Reports and controls whether the server is ready, accepts writes, and sends. */
export async function composeOperations(parts: OperationsParts) {
  const { storage, clock, checkFiles, checkTime, checkRunning, isSimulation, poke, log } = parts;
  const readiness = new Readiness({
    checkRunning,
    checks: [
      { name: "database", run: async () => (await storage.check(), null) },
      { name: "files", run: async () => (await checkFiles(), null) },
      { name: "clock", run: async () => checkTime() },
    ],
    ...{ clock: clock.system, log },
    onDamage: (damage) => operations.reportDamage(damage),
  });
  // A simulation has its own time, and nothing in it is really sent.
  if (!isSimulation) clock.raiseTo((await storage.operations.latestTime()) ?? 0);
  const operations = new Operations({
    store: storage.operations,
    clock: isSimulation ? { now: () => clock.now(), behindMs: () => 0 } : clock,
    onChange: poke,
    log,
  });
  await operations.load();
  operations.watchClock();
  const chores: Chore[] = [
    { name: "watch the clock", pattern: "* * * * * *", run: () => operations.watchClock(), onEachNode: true },
    { name: "store the time", pattern: "7 * * * * *", run: () => operations.keepTime() },
    { name: "maintain the database", pattern: "5-59/10 * * * * *", run: () => storage.maintain() },
  ];
  return {
    readiness,
    operations,
    chores,
    async stop(): Promise<void> {
      if (isSimulation) return;
      await operations
        .keepTime()
        .catch((error: unknown) => log.error({ err: error }, "could not store the time of the clock"));
    },
  };
}
