import { join } from "node:path";
import { load, type LoadResult } from "./load.ts";
import { median, type Measure } from "./report.ts";
import { copyHome, cpuOf, createHome, startServer, withDirectory, type Server } from "./server.ts";

/** What is special about the server, or about each request. */
export type Side = { settings?: Record<string, string>; serialHeader?: string };

type Turn = LoadResult & { cpuMicros: number };

/** Short and many: the machine's speed changes by half within seconds, for both servers only if they take turns quickly. */
const turns = 80;
const turnMs = 500;
/** The server compiles what it runs often, for some seconds. */
const warmUpTurns = 10;

/**
 * The price of something, in POST /api/v2/leads from 64 clients at once: two servers take short turns, so that what else
 * the machine does falls on both.
 */
export function priceInLeads(sides: { without: Side; with: Side }, atLeast: number): Promise<Measure[]> {
  return withDirectory(async (directory) => {
    const home = await createHome(join(directory, "home"));
    const start = async (name: keyof typeof sides) =>
      startServer(await copyHome(home, join(directory, name)), sides[name].settings);
    const servers = { without: await start("without"), with: await start("with") };
    const seen: Record<keyof typeof sides, Turn[]> = { without: [], with: [] };
    try {
      for (let turn = 0; turn < warmUpTurns + turns; turn++)
        for (const name of turn % 2 === 0 ? (["without", "with"] as const) : (["with", "without"] as const)) {
          const took = await turnOf(servers[name], home.key, sides[name], turn);
          if (turn >= warmUpTurns) seen[name].push(took);
        }
    } finally {
      await Promise.all(Object.values(servers).map((server) => server.stop()));
    }
    return figures(seen, atLeast);
  });
}

function figures(seen: Record<"without" | "with", Turn[]>, atLeast: number): Measure[] {
  const of = (name: keyof typeof seen, field: "perSecond" | "p50Ms" | "p99Ms" | "cpuMicros"): number =>
    median(seen[name].map((turn) => turn[field]));
  const ratio = (field: "perSecond" | "cpuMicros"): number =>
    median(seen.with.map((turn, n) => turn[field] / (seen.without[n]?.[field] ?? 0)));
  const total = (name: keyof typeof seen): number => seen[name].reduce((sum, { perSecond }) => sum + perSecond, 0);
  return [
    { name: "with : without, throughput", value: ratio("perSecond"), unit: "ratio", goal: { atLeast } },
    // With what comes in few turns only, such as merges of an index, and with every hiccup of the machine.
    { name: "with : without, all turns together", value: total("with") / total("without"), unit: "ratio" },
    // Other programs on the machine change this less than the throughput.
    { name: "with : without, processor time", value: ratio("cpuMicros"), unit: "ratio" },
    { name: "without, processor time a request", value: of("without", "cpuMicros"), unit: "µs" },
    { name: "with, processor time a request", value: of("with", "cpuMicros"), unit: "µs" },
    { name: "without", value: of("without", "perSecond"), unit: "/s" },
    { name: "with", value: of("with", "perSecond"), unit: "/s" },
    { name: "without, p50", value: of("without", "p50Ms"), unit: "ms" },
    { name: "with, p50", value: of("with", "p50Ms"), unit: "ms" },
    { name: "without, p99", value: of("without", "p99Ms"), unit: "ms" },
    { name: "with, p99", value: of("with", "p99Ms"), unit: "ms" },
  ];
}

async function turnOf(server: Server, key: string, { serialHeader }: Side, turn: number): Promise<Turn> {
  const before = await cpuOf(server.pid);
  const result = await load({
    ...leadLoad(server, key),
    ...(serialHeader !== undefined && { serialHeader }),
    // Other people in each turn.
    firstSerial: turn * 1_000_000,
    warmUpMs: 0,
    durationMs: turnMs,
  });
  const seconds = (await cpuOf(server.pid)) - before;
  return { ...result, cpuMicros: (seconds / result.requests) * 1e6 };
}

/** Storing leads for some seconds; stops the server. */
export async function postTo(server: Server, key: string): Promise<LoadResult> {
  try {
    return await load({ ...leadLoad(server, key), warmUpMs: 1500, durationMs: 4000 });
  } finally {
    await server.stop();
  }
}

export function leadLoad({ port }: Server, key: string) {
  const headers = { "x-api-key": key };
  return { port, method: "POST", path: "/api/v2/leads", headers, body: "lead", connections: 64 } as const;
}
