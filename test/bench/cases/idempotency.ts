import { join } from "node:path";
import { load, type LoadResult } from "../load.ts";
import { median, type BenchCase } from "../report.ts";
import { copyHome, createHome, startServer, withDirectory, type Server } from "../server.ts";

const rounds = 3;

/** Storing leads from 64 clients at once, each request with a new key: the price of being able to repeat it. */
export const idempotency: BenchCase = {
  about: "POST /api/v2/leads with and without Idempotency-Key, 64 connections, synchronous=FULL",
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const plain: LoadResult[] = [];
  const keyed: LoadResult[] = [];
  // Turn and turn about, so that a slow minute of the machine falls on both sides.
  for (let round = 0; round < rounds; round++) {
    for (const [side, seen] of Object.entries({ plain, keyed })) {
      const server = await startServer(await copyHome(home, join(directory, `${side}-${round}`)));
      seen.push(await postTo(server, home.key, side === "keyed"));
    }
  }
  const of = (seen: LoadResult[], field: "perSecond" | "p50Ms" | "p99Ms"): number =>
    median(seen.map((result) => result[field]));
  const ratio = median(keyed.map(({ perSecond }, round) => perSecond / (plain[round]?.perSecond ?? 0)));
  return [
    { name: "with a key : without", value: ratio, unit: "ratio" as const, goal: { atLeast: 0.85 } },
    { name: "without", value: of(plain, "perSecond"), unit: "/s" as const },
    { name: "with a key", value: of(keyed, "perSecond"), unit: "/s" as const },
    { name: "without, p50", value: of(plain, "p50Ms"), unit: "ms" as const },
    { name: "with a key, p50", value: of(keyed, "p50Ms"), unit: "ms" as const },
    { name: "without, p99", value: of(plain, "p99Ms"), unit: "ms" as const },
    { name: "with a key, p99", value: of(keyed, "p99Ms"), unit: "ms" as const },
  ];
}

async function postTo(server: Server, key: string, isKeyed: boolean): Promise<LoadResult> {
  try {
    return await load({
      port: server.port,
      method: "POST",
      path: "/api/v2/leads",
      headers: { "x-api-key": key },
      ...(isKeyed && { serialHeader: "idempotency-key" }),
      body: "lead",
      connections: 64,
      warmUpMs: 1500,
      durationMs: 4000,
    });
  } finally {
    await server.stop();
  }
}
