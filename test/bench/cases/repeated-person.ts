import { join } from "node:path";
import { leadLoad } from "../lead-posts.ts";
import { load, type LoadResult } from "../load.ts";
import { person } from "../people.ts";
import { median, type BenchCase, type Measure } from "../report.ts";
import { copyHome, createHome, startServer, withDirectory } from "../server.ts";

const turns = 10;
const perTurn = 10_000;

/** What a broken form or a loop in a client's program does to a server: the same person, again and again. */
export const repeatedPerson: BenchCase = {
  about: `POST /api/v2/leads, 64 connections: one person ${turns * perTurn} times against as many people`,
  run: () => withDirectory(measure),
};

async function measure(directory: string): Promise<Measure[]> {
  const home = await createHome(join(directory, "home"));
  const start = async (side: string) => startServer(await copyHome(home, join(directory, side)));
  const servers = { distinct: await start("distinct"), same: await start("same") };
  const seen: Record<keyof typeof servers, LoadResult[]> = { distinct: [], same: [] };
  const one = [JSON.stringify(person(2, 1))];
  try {
    // In turns, so that what else the machine does affects both.
    for (let turn = 0; turn < turns; turn++)
      for (const side of turn % 2 === 0 ? (["distinct", "same"] as const) : (["same", "distinct"] as const))
        seen[side].push(
          await load({
            ...leadLoad(servers[side], home.key),
            ...(side === "same" && { bodies: one }),
            firstSerial: turn * perTurn,
            count: perTurn,
            warmUpMs: 0,
            durationMs: 120_000,
          }),
        );
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
  return figures(seen);
}

function figures({ distinct, same }: Record<"distinct" | "same", LoadResult[]>): Measure[] {
  const of = (results: LoadResult[], field: "perSecond" | "p99Ms" | "maxMs"): number =>
    median(results.map((result) => result[field]));
  const ratio = median(same.map(({ perSecond }, turn) => perSecond / (distinct[turn]?.perSecond ?? 0)));
  const worst = Math.max(...same.map(({ p99Ms }) => p99Ms));
  const worstOfDistinct = Math.max(...distinct.map(({ p99Ms }) => p99Ms));
  return [
    { name: "same : distinct, throughput", value: ratio, unit: "ratio", goal: { atLeast: 0.9 } },
    {
      name: "same : distinct, last turn",
      value: same.at(-1)!.perSecond / distinct.at(-1)!.perSecond,
      unit: "ratio",
    },
    {
      name: "same : distinct, highest p99 of a turn",
      value: worst / worstOfDistinct,
      unit: "ratio",
      goal: { atMost: 1.5 },
    },
    { name: "distinct", value: of(distinct, "perSecond"), unit: "/s" },
    { name: "same", value: of(same, "perSecond"), unit: "/s" },
    { name: "distinct, p99", value: of(distinct, "p99Ms"), unit: "ms" },
    { name: "same, p99", value: of(same, "p99Ms"), unit: "ms" },
    { name: "distinct, highest p99 of a turn", value: worstOfDistinct, unit: "ms" },
    { name: "same, highest p99 of a turn", value: worst, unit: "ms" },
  ];
}
