import { readFile } from "node:fs/promises";
import { seeded } from "../../support/random.ts";
import { startS3Server } from "../../support/s3-server.ts";
import { check, isQuiet } from "../chaos/checks.ts";
import { Database } from "../chaos/database.ts";
import { unleash } from "../chaos/faults.ts";
import { createUser, Load, type User } from "../chaos/load.ts";
import { Node } from "../chaos/nodes.ts";
import { startPeers } from "../chaos/peers.ts";
import type { BenchCase, Measure } from "../report.ts";
import { freePort, withDirectory } from "../server.ts";

const defaultSeconds = 1200;
const users = 12;
const requestsPerSecond = 100;
/** A lease lasts 60 s. */
const longStopMs = 90_000;
/** After the last fault: leases end, webhooks are repeated. */
const calmMs = 180_000;

/**
 * Three nodes under load while nodes, the database, the network, and the bucket fail at random. The seed makes the faults
 * the same in each run, though not their timing to the millisecond. CHAOS_SEED: another seed. CHAOS_LOG: shows faults when
 * they happen, and the logs of the nodes.
 */
export const chaos: BenchCase = {
  about: "three nodes under mixed requests while parts fail at random for 20 minutes (--seconds N: for N)",
  isLong: true,
  run: ({ seconds }) => withDirectory((directory) => measure(directory, (seconds ?? defaultSeconds) * 1000)),
};

async function measure(directory: string, durationMs: number): Promise<Measure[]> {
  const random = seeded(Number(process.env["CHAOS_SEED"] ?? 7));
  await using database = new Database(freePort());
  await database.start();
  await using s3 = startS3Server({ bucket: "chaos" });
  const peers = startPeers(() => random() * 0.3);
  const env = settings(s3);
  const nodes: Node[] = [];
  for (const name of ["node-1", "node-2", "node-3"])
    nodes.push(await Node.create(name, freePort(), directory, database, env));
  try {
    for (const node of nodes) await node.start();
    const adminKey = /oak_[0-9a-f]{64}/.exec(await readFile(nodes[0]!.firstOutput, "utf8"))![0];
    const people: User[] = [];
    for (let n = 0; n < users; n++) people.push(await createUser(nodes[n % 3]!.port, adminKey, n, peers));
    const load = new Load(nodes, people, random);
    const calm = await load.run(requestsPerSecond, performance.now() + Math.min(30_000, durationMs / 6));
    const untilAt = performance.now() + durationMs;
    const stopMs = Math.min(longStopMs, durationMs / 6);
    // In a short form, faults are so dense that nodes spend most of the time in recovery.
    const isShort = durationMs < 300_000;
    const everyMs = durationMs / (isShort ? 14 : 130);
    const [busy, counts] = await Promise.all([
      load.run(requestsPerSecond, untilAt),
      unleash({ nodes, database, s3, random, stopMs }, everyMs, untilAt - stopMs / 2),
    ]);
    const parts = { database, peers, users: people, acknowledged: load.acknowledged, s3 };
    const died = nodes.filter((node) => !node.isRunning).length;
    const settledAfter = await settle(() => isQuiet(parts));
    for (const problem of new Set(load.problems)) console.error(problem);
    return [
      ...[...counts].map(([name, value]): Measure => ({ name: `fault: ${name}`, value, unit: "count" })),
      { name: "faults", value: sum(counts.values()), unit: "count", goal: { atLeast: isShort ? 8 : 100 } },
      ...[...load.statuses].map(([name, value]): Measure => ({ name: `answers: ${name}`, value, unit: "count" })),
      { name: "requests that succeeded without faults", value: calm, unit: "/s" },
      { name: "requests that succeeded with faults", value: busy, unit: "/s" },
      { name: "of those without", value: busy / calm, unit: "ratio", ...(isShort ? {} : { goal: { atLeast: 0.5 } }) },
      { name: "nodes that ended on their own", value: died, unit: "count", goal: { atMost: 0 } },
      { name: "wrong answers", value: load.problems.length, unit: "count", goal: { atMost: 0 } },
      { name: "time until all work was done", value: settledAfter, unit: "ms", goal: { atMost: calmMs } },
      ...(await check(parts)),
    ];
  } finally {
    if (process.env["CHAOS_LOG"]) await showLogs(nodes);
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    for (const { proxy } of nodes) proxy.stop();
    await peers.stop();
  }
}

/** Milliseconds until work is done; gives up after a while. */
async function settle(isDone: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < calmMs + 1000 && !(await isDone())) await Bun.sleep(500);
  return performance.now() - startedAt;
}

function settings(s3: ReturnType<typeof startS3Server>): Record<string, string> {
  return {
    OUTREACHD_FILES: `s3://${s3.bucket}/files`,
    OUTREACHD_S3_ENDPOINT: s3.url,
    OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
    OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    OUTREACHD_ACKNOWLEDGE_NETWORK_RISK: "true",
    OUTREACHD_NETWORK_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
    OUTREACHD_NETWORK_PRIVATE_HOSTS: "127.0.0.1",
    OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
    OUTREACHD_LOG_REQUESTS: "false",
    OUTREACHD_RATE_LIMIT_MINUTE: "0",
    OUTREACHD_RATE_LIMIT_HOUR: "0",
    OUTREACHD_RATE_LIMIT_DAY: "0",
  };
}

async function showLogs(nodes: readonly Node[]): Promise<void> {
  for (const node of nodes)
    for (const path of node.logs) console.error(`\n${path}\n${(await readFile(path, "utf8")).slice(-20_000)}`);
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
