import { join } from "node:path";
import { postTo } from "../lead-posts.ts";
import type { LoadResult } from "../load.ts";
import { median, type BenchCase } from "../report.ts";
import { copyHome, createHome, startBare, startServer, withDirectory, type Home } from "../server.ts";

const rounds = 3;

/** Storing leads durably, one at a time, from 64 clients at once: the price of everything around the INSERT. */
export const postLeads: BenchCase = {
  about: "POST /api/v2/leads, 64 connections, synchronous=FULL",
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const seen: Record<"ours" | "grouped" | "each", LoadResult[]> = { ours: [], grouped: [], each: [] };
  // Turn and turn about, so that a slow minute of the machine falls on every side.
  for (let round = 0; round < rounds; round++) {
    const fresh = (side: string): Promise<Home> => copyHome(home, join(directory, `${side}-${round}`));
    seen.ours.push(await postTo(await startServer(await fresh("ours")), home.key));
    seen.grouped.push(await postTo(await startBare("group-commit", await fresh("grouped")), home.key));
    seen.each.push(await postTo(await startBare("transaction-each", await fresh("each")), home.key));
  }
  const of = (side: keyof typeof seen, field: "perSecond" | "p50Ms" | "p99Ms" | "generatorCpu"): number =>
    median(seen[side].map((result) => result[field]));
  const ratio = median(seen.ours.map((ours, round) => ours.perSecond / (seen.grouped[round]?.perSecond ?? 0)));
  return [
    { name: "ours : bare handler with group commit", value: ratio, unit: "ratio" as const, goal: { atLeast: 0.5 } },
    { name: "ours", value: of("ours", "perSecond"), unit: "/s" as const },
    { name: "ours, p50", value: of("ours", "p50Ms"), unit: "ms" as const },
    { name: "ours, p99", value: of("ours", "p99Ms"), unit: "ms" as const },
    { name: "bare, group commit", value: of("grouped", "perSecond"), unit: "/s" as const },
    { name: "bare, group commit, p99", value: of("grouped", "p99Ms"), unit: "ms" as const },
    { name: "bare, a transaction a request", value: of("each", "perSecond"), unit: "/s" as const },
    { name: "load generator's share of a core, bare", value: of("grouped", "generatorCpu"), unit: "ratio" as const },
  ];
}
