import { leadLoad } from "../lead-posts.ts";
import { load, type LoadResult } from "../load.ts";
import { withPostgres, type PostgresHome } from "../postgres.ts";
import { median, type BenchCase, type Measure } from "../report.ts";
import { startHandler, startServer, type Server } from "../server.ts";

const rounds = 5;
const poolSize = 10;

/** The price of everything around the statements, with PostgreSQL on the same machine. */
export const postgresLeads: BenchCase = {
  about: `PostgreSQL: POST /api/v2/leads, 64 connections; GET /api/v2/leads?limit=50, 16 connections; ${poolSize} connections to the database`,
  run: () => withPostgres(measure),
};

type Sides = { ours: LoadResult[]; bare: LoadResult[] };

async function measure(home: PostgresHome): Promise<Measure[]> {
  const server = await startServer(home, { ...home.settings, OUTREACHD_DATABASE_POOL: `${poolSize}` });
  const [post, list] = await Promise.all(
    (["post", "list"] as const).map((mode) => startHandler("bare-postgres.ts", mode, home.url, `${poolSize}`)),
  );
  try {
    const posts = await inTurns(server, post!, (side, round) =>
      load({ ...leadLoad(side, home.key), firstSerial: round * 1_000_000, warmUpMs: 1500, durationMs: 4000 }),
    );
    const lists = await inTurns(server, list!, (side) => load(listLoad(side, home.key)));
    return [...figures("POST", posts), ...figures("GET", lists)];
  } finally {
    await Promise.all([server, post!, list!].map((each) => each.stop()));
  }
}

/** Turn and turn about, so that a slow minute of the machine falls on both sides. */
async function inTurns(
  ours: Server,
  bare: Server,
  run: (side: Server, round: number) => Promise<LoadResult>,
): Promise<Sides> {
  const seen: Sides = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    seen.ours.push(await run(ours, 2 * round));
    seen.bare.push(await run(bare, 2 * round + 1));
  }
  return seen;
}

function listLoad({ port }: Server, key: string) {
  const request = { method: "GET", path: "/api/v2/leads?limit=50", headers: { "x-api-key": key } } as const;
  return { port, ...request, connections: 16, warmUpMs: 1000, durationMs: 2500 };
}

function figures(method: string, { ours, bare }: Sides): Measure[] {
  const ratio = median(ours.map((result, round) => result.perSecond / (bare[round]?.perSecond ?? 0)));
  const of = (results: LoadResult[], field: "perSecond" | "p50Ms" | "p99Ms") =>
    median(results.map((result) => result[field]));
  return [
    { name: `${method}, ours : bare handler`, value: ratio, unit: "ratio", goal: { atLeast: 0.5 } },
    { name: `${method}, ours`, value: of(ours, "perSecond"), unit: "/s" },
    { name: `${method}, ours, p50`, value: of(ours, "p50Ms"), unit: "ms" },
    { name: `${method}, ours, p99`, value: of(ours, "p99Ms"), unit: "ms" },
    { name: `${method}, bare`, value: of(bare, "perSecond"), unit: "/s" },
    { name: `${method}, bare, p99`, value: of(bare, "p99Ms"), unit: "ms" },
  ];
}
