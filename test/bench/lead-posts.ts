import { join } from "node:path";
import { load, type LoadResult } from "./load.ts";
import { median, type Measure } from "./report.ts";
import { copyHome, createHome, startServer, withDirectory, type Server } from "./server.ts";

/** What is special about the server, or about each request. */
export type Side = { settings?: Record<string, string>; serialHeader?: string };

const rounds = 4;

/**
 * The price of something, in POST /api/v2/leads from 64 clients at once: with it and without it, turn and turn about, so
 * that a slow minute of the machine falls on both sides.
 */
export function priceInLeads(sides: { without: Side; with: Side }, atLeast: number): Promise<Measure[]> {
  return withDirectory(async (directory) => {
    const home = await createHome(join(directory, "home"));
    const seen: Record<keyof typeof sides, LoadResult[]> = { without: [], with: [] };
    for (let round = 0; round < rounds; round++) {
      for (const name of ["without", "with"] as const) {
        const side = sides[name];
        const server = await startServer(await copyHome(home, join(directory, `${name}-${round}`)), side.settings);
        seen[name].push(await postTo(server, home.key, side));
      }
    }
    const of = (name: keyof typeof seen, field: "perSecond" | "p50Ms" | "p99Ms"): number =>
      median(seen[name].map((result) => result[field]));
    const ratio = median(seen.with.map(({ perSecond }, round) => perSecond / (seen.without[round]?.perSecond ?? 0)));
    return [
      { name: "with : without", value: ratio, unit: "ratio", goal: { atLeast } },
      { name: "without", value: of("without", "perSecond"), unit: "/s" },
      { name: "with", value: of("with", "perSecond"), unit: "/s" },
      { name: "without, p50", value: of("without", "p50Ms"), unit: "ms" },
      { name: "with, p50", value: of("with", "p50Ms"), unit: "ms" },
      { name: "without, p99", value: of("without", "p99Ms"), unit: "ms" },
      { name: "with, p99", value: of("with", "p99Ms"), unit: "ms" },
    ];
  });
}

/** Storing leads for some seconds; stops the server. */
export async function postTo(server: Server, key: string, { serialHeader }: Side = {}): Promise<LoadResult> {
  try {
    return await load({
      port: server.port,
      method: "POST",
      path: "/api/v2/leads",
      headers: { "x-api-key": key },
      ...(serialHeader !== undefined && { serialHeader }),
      body: "lead",
      connections: 64,
      warmUpMs: 1500,
      durationMs: 4000,
    });
  } finally {
    await server.stop();
  }
}
