import { pick } from "../../support/random.ts";
import type { startS3Server } from "../../support/s3-server.ts";
import type { Database } from "./database.ts";
import { canShiftClocks, type Node } from "./nodes.ts";

export type FaultParts = {
  nodes: readonly Node[];
  database: Database;
  s3: ReturnType<typeof startS3Server>;
  random: () => number;
  /** How long a process is stopped; longer than the lease of a job in the full form. */
  stopMs: number;
};

type Fault = { name: string; run: (parts: FaultParts, node: Node) => Promise<void> };

const between = (random: () => number, least: number, most: number) => least + random() * (most - least);
const sign = (random: () => number) => (random() < 0.5 ? -1 : 1);

/** What happens to nodes, the database, and the bucket. Each resolves once it is over. */
const faults: Fault[] = [
  {
    name: "killed",
    run: async ({ random }, node) => {
      await node.end("SIGKILL");
      await Bun.sleep(between(random, 200, 2000));
      await node.start();
    },
  },
  {
    name: "restarted with a clock that is off",
    run: async ({ random }, node) => {
      await node.end(random() < 0.5 ? "SIGKILL" : "SIGTERM");
      await node.start(canShiftClocks ? sign(random) * 30 : 0);
    },
  },
  {
    name: "stopped",
    run: async ({ stopMs }, node) => {
      node.signal("SIGSTOP");
      await Bun.sleep(stopMs);
      node.signal("SIGCONT");
    },
  },
  { name: "cut off", run: ({ random }, { proxy }) => proxy.cut(between(random, 100, 8000)) },
  {
    name: "without answers of the database",
    run: ({ random }, { proxy }) => proxy.silence(between(random, 500, 12_000)),
  },
  { name: "slow", run: ({ random }, { proxy }) => proxy.slow(between(random, 20, 400), between(random, 1000, 8000)) },
  {
    name: "lost a backend",
    run: async ({ database }) => {
      await database.query(async (client) => {
        await client`SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
          WHERE application_name = 'outreachd' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 3) AS chosen`;
      });
    },
  },
  { name: "database restarted", run: ({ database }) => restart(database, "fast") },
  { name: "database crashed", run: ({ database }) => restart(database, "immediate") },
  {
    name: "bucket refuses",
    run: async ({ s3, random }) => {
      s3.faults.fails = () => true;
      await Bun.sleep(between(random, 500, 6000));
      s3.faults.fails = () => false;
    },
  },
];

async function restart(database: Database, how: "fast" | "immediate"): Promise<void> {
  await database.stop(how);
  await database.start();
}

/**
 * Lets a fault happen every `everyMs`, until `untilAt`; then waits until all are over. Faults of different nodes overlap;
 * one node is always left alone, so that the service as a whole could answer.
 */
export async function unleash(parts: FaultParts, everyMs: number, untilAt: number): Promise<Map<string, number>> {
  const { nodes, random } = parts;
  const counts = new Map<string, number>();
  const busy = new Set<Node>();
  const running = new Set<Promise<void>>();
  let isDatabaseBusy = false;
  let order: Fault[] = [];
  while (performance.now() < untilAt) {
    await Bun.sleep(everyMs * between(random, 0.5, 1.5));
    const free = nodes.filter((node) => !busy.has(node));
    if (free.length < 2) continue;
    // Each kind once in random order, then again.
    if (order.length === 0)
      order = faults
        .map((fault) => ({ fault, at: random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ fault }) => fault);
    const fault = order.pop()!;
    const node = pick(free, random);
    const concernsDatabase = fault.name.includes("database ");
    if (concernsDatabase && isDatabaseBusy) continue;
    busy.add(node);
    isDatabaseBusy ||= concernsDatabase;
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    if (process.env["CHAOS_LOG"]) console.error(new Date().toISOString(), node.name, fault.name);
    const done = fault.run(parts, node).finally(() => {
      busy.delete(node);
      if (concernsDatabase) isDatabaseBusy = false;
      running.delete(done);
    });
    running.add(done);
  }
  await Promise.all(running);
  return counts;
}
