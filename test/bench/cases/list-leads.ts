import { join } from "node:path";
import { load, type LoadResult } from "../load.ts";
import { median, type BenchCase } from "../report.ts";
import { copyHome, createHome, fillWithLeads, startBare, startServer, withDirectory } from "../server.ts";

const rounds = 5;
const leads = 100_000;

/** Reading the newest page of a large list: the price of authentication, validation and the shape of the answer. */
export const listLeads: BenchCase = {
  about: `GET /api/v2/leads?limit=50 over ${leads.toLocaleString("en-US")} leads, 16 connections`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "ours"));
  await fillWithLeads(home, 1, leads);
  const server = await startServer(await copyHome(home, join(directory, "copy")));
  const bare = await startBare("list", home);
  try {
    const ours: LoadResult[] = [];
    const plain: LoadResult[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await list(server.port, home.key));
      plain.push(await list(bare.port, home.key));
    }
    const ratio = median(ours.map((result, round) => result.perSecond / (plain[round]?.perSecond ?? 0)));
    const of = (results: LoadResult[], field: keyof LoadResult): number =>
      median(results.map((result) => Number(result[field])));
    return [
      { name: "ours : bare SELECT and JSON.stringify", value: ratio, unit: "ratio" as const, goal: { atLeast: 0.4 } },
      { name: "ours", value: of(ours, "perSecond"), unit: "/s" as const },
      { name: "ours, p50", value: of(ours, "p50Ms"), unit: "ms" as const },
      { name: "ours, p99", value: of(ours, "p99Ms"), unit: "ms" as const },
      { name: "bare", value: of(plain, "perSecond"), unit: "/s" as const },
      { name: "bare, p99", value: of(plain, "p99Ms"), unit: "ms" as const },
      { name: "load generator's share of a core, bare", value: of(plain, "generatorCpu"), unit: "ratio" as const },
    ];
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
}

async function list(port: number, key: string): Promise<LoadResult> {
  return await load({
    port,
    method: "GET",
    path: "/api/v2/leads?limit=50",
    headers: { "x-api-key": key },
    connections: 16,
    warmUpMs: 1000,
    durationMs: 2500,
  });
}
