import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/base/clock.ts";
import { openSqliteStorage } from "../../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { queueActions, unbind } from "../network-rows.ts";
import { median, type BenchCase } from "../report.ts";
import { createHome, databasePath, startServer, withDirectory, type Home } from "../server.ts";

const pending = 1_000_000;
const claims = 2_000;
const idleMs = 10_000;
const dayMs = 86_400_000;

/** What a long queue costs those who have nothing to do with its length. */
export const networkQueue: BenchCase = {
  about: `${pending.toLocaleString("en-US")} pending actions: claims, start, and an idle server`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  unbind(home);
  const now = Date.now();
  queueActions(home, pending, (n) => (n < claims ? now - claims + n : now + dayMs + n * 10));
  const claimMs = await claimOneByOne(home);
  const readyMs: number[] = [];
  let cpu = 0;
  for (let round = 0; round < 5; round++) {
    const server = await startServer(home);
    readyMs.push(server.readyMs);
    if (round === 4) {
      await Bun.sleep(3000);
      const before = await cpuSecondsOf(server.pid);
      await Bun.sleep(idleMs);
      cpu = ((await cpuSecondsOf(server.pid)) - before) / (idleMs / 1000);
    }
    await server.stop();
  }
  const p99 = claimMs.toSorted((a, b) => a - b)[Math.floor(claimMs.length * 0.99)] ?? 0;
  return [
    { name: "a claim and its end, durable, p99", value: p99, unit: "ms" as const, goal: { atMost: 5 } },
    { name: "a claim and its end, durable, median", value: median(claimMs), unit: "ms" as const },
    { name: "ready, median", value: median(readyMs), unit: "ms" as const, goal: { atMost: 500 } },
    { name: "share of a core when idle", value: cpu, unit: "ratio" as const, goal: { atMost: 0.02 } },
  ];
}

/** Each claim waits for its own commit: nothing is shared with others. */
async function claimOneByOne(home: Home): Promise<number[]> {
  const storage = openSqliteStorage(databasePath(home), systemClock);
  const claimMs: number[] = [];
  for (let n = 0; n < claims; n++) {
    const startedAt = performance.now();
    const at = Date.now();
    const { due } = await storage.network.claimDue({ now: at, limit: 1, leaseUntil: at + 60_000 });
    if (n > 50) claimMs.push(performance.now() - startedAt);
    const [claimed] = due;
    if (claimed === undefined) throw new Error("Expected an action that is due");
    const end = { state: "completed", message: "", metadata: {}, reference: null, relation: null, at } as const;
    await storage.network.endAction({ id: claimed.job.id, attempt: claimed.job.attempt }, end);
  }
  await storage.close();
  return claimMs;
}

/** Processor time of a process so far, of all its threads. */
async function cpuSecondsOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
