import { existsSync } from "node:fs";
import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load, type LoadResult } from "../load.ts";
import { seeded } from "../../support/random.ts";
import { filters, prospect, prospectCsvHeader, prospectCsvRow } from "../prospect-people.ts";
import { withPostgres } from "../postgres.ts";
import { median, type BenchCase, type Measure } from "../report.ts";
import {
  cpuOf,
  createHome,
  fillWithLeads,
  memoryOf,
  startServer,
  withDirectory,
  type Home,
  type Server,
} from "../server.ts";

/** Rows of one file: below the largest file that is taken. */
const fileRows = 1_000_000;
const combinations = 200;
const clients = 4;

/** A directory is imported, then searched by filters of all kinds, with lists of leads read beside it. */
export const prospects: BenchCase = {
  about: `import of 1,000,000 prospects; POST /prospecting/search, ${combinations} filter combinations, ${clients} clients`,
  run: ({ keep }) =>
    inDirectory(keep, "prospects", (directory) => measure(directory, 1, { p50: 5, p99: 25, enrich: 50 })),
};

export const prospectsLarge: BenchCase = {
  about: `the same with 10,000,000 prospects`,
  run: ({ keep }) => inDirectory(keep, "prospects-large", (directory) => measure(directory, 10, { p99: 200 })),
  isLong: true,
};

export const prospectsImport: BenchCase = {
  about: `import of 1,000,000 prospects alone`,
  run: () =>
    withDirectory(async (directory) => {
      const home = await createHome(join(directory, "home"));
      const server = await startServer(home);
      try {
        return await importAll(directory, 1, server, home.key, { rows: 50_000 });
      } finally {
        await server.stop();
      }
    }),
  isLong: true,
};

export const postgresProspects: BenchCase = {
  about: `PostgreSQL: import of 1,000,000 prospects; searches and facets, ${combinations} filter combinations, ${clients} clients`,
  run: () =>
    withPostgres(async (home) => {
      const server = await startServer(home, home.settings);
      try {
        const imported = await importAll(home.directory, 1, server, home.key, {});
        const searched = await measureSearches(server, home.key, { p99: 50 });
        return [...imported, ...searched, ...(await measureFacets(server, home.key))];
      } finally {
        await server.stop();
      }
    }),
  isLong: true,
};

async function inDirectory<T>(keep: string | null, name: string, work: (directory: string) => Promise<T>): Promise<T> {
  return keep === null ? await withDirectory(work) : await work(join(keep, name));
}

type Goals = { p50?: number; p99: number; enrich?: number };

async function measure(directory: string, files: number, goals: Goals): Promise<Measure[]> {
  const known = await keptHome(directory);
  const home = known ?? (await createHome(join(directory, "home")));
  if (known === null) await fillWithLeads(home, 2, 100_000);
  const server = await startServer(home);
  try {
    const imported = known === null ? await importAll(directory, files, server, home.key, { rows: 50_000 }) : [];
    await writeFile(join(directory, keyFile), home.key);
    const searched = await measureSearches(server, home.key, goals);
    return [...imported, ...searched, ...(await measureEnrichment(server, home.key, files * fileRows, goals))];
  } finally {
    await server.stop();
  }
}

/** Written when all files are imported, so that a directory that is kept is used again only when it is whole. */
const keyFile = "imported.key";

async function keptHome(directory: string): Promise<Home | null> {
  const file = join(directory, keyFile);
  if (!existsSync(file)) return null;
  return { directory: join(directory, "home"), key: await readFile(file, "utf8") };
}

async function measureSearches(server: Server, key: string, goals: Goals): Promise<Measure[]> {
  const first = bodies((filter) => ({ filters: filter, limit: 25 }));
  const search = (of: readonly string[], durationMs = 5000) => searches(server, key, of, durationMs);
  const cpuBefore = await cpuOf(server.pid);
  const all = await search(first);
  const searchCpuMs = ((await cpuOf(server.pid)) - cpuBefore) * 1000;
  const pairs = await deepest(server, key, first);
  // In turns, so that what else the machine does hits both alike.
  const [pages, deep] = [[] as LoadResult[], [] as LoadResult[]];
  for (let round = 0; round < 3; round++) {
    pages.push(await search(pairs.map(({ first: one }) => one), 1500)); // prettier-ignore
    deep.push(await search(pairs.map(({ deep: one }) => one), 1500)); // prettier-ignore
  }
  const lists = { port: server.port, method: "GET", path: "/api/v2/leads?limit=50", headers: { "x-api-key": key } };
  const [leads] = await Promise.all([
    load({ ...lists, method: "GET", connections: 2, pauseMs: 10, warmUpMs: 500, durationMs: 4000 }),
    search(first, 4500),
  ]);
  const least = (results: LoadResult[]) => Math.min(...results.map(({ p50Ms }) => p50Ms));
  return [
    { name: "search, p50", value: all.p50Ms, unit: "ms", ...(goals.p50 && { goal: { atMost: goals.p50 } }) },
    { name: "search, p99", value: all.p99Ms, unit: "ms", goal: { atMost: goals.p99 } },
    { name: "search, slowest", value: all.maxMs, unit: "ms" },
    { name: "searches", value: all.perSecond, unit: "/s" },
    // Warm-up included: a sixth of the time.
    { name: "core time of a search", value: searchCpuMs / (all.requests * 1.2), unit: "ms" },
    { name: "last page : first page, p50", value: least(deep) / least(pages), unit: "ratio", goal: { atMost: 2 } },
    { name: "GET /leads meanwhile, p99", value: leads.p99Ms, unit: "ms", goal: { atMost: 20 } },
    { name: "GET /leads meanwhile, p50", value: leads.p50Ms, unit: "ms" },
    { name: "resident memory at the end", value: (await memoryOf(server.pid)).resident / 1e6, unit: "MB" },
  ];
}

/** The values of one facet among the people whom filters find, as they are suggested while somebody types. */
async function measureFacets(server: Server, key: string): Promise<Measure[]> {
  const names = ["industry", "title", "location", "technology"];
  const asked = bodies((filter, n) => ({ filters: filter, facet: names[n % names.length], limit: 25 }));
  const found = await searches(server, key, asked, 5000, "facets");
  return [
    { name: "facets, p50", value: found.p50Ms, unit: "ms" },
    { name: "facets, p99", value: found.p99Ms, unit: "ms", goal: { atMost: 100 } },
  ];
}

/** Fifty people in a request, each by one identifier or another; one in ten is nobody's. */
async function measureEnrichment(server: Server, key: string, people: number, goals: Goals): Promise<Measure[]> {
  const random = seeded(11);
  const times: number[] = [];
  for (let n = -enrichWarmUp; n < enrichments; n++) {
    const leads = Array.from({ length: 50 }, () => somebody(people, random));
    const startedAt = performance.now();
    await answerOf(
      fetch(`${api(server)}/enrich`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({ leads }),
      }),
    );
    if (n >= 0) times.push(performance.now() - startedAt);
  }
  const goal = goals.enrich && { goal: { atMost: goals.enrich } };
  return [{ name: "50 of them enriched, p50", value: median(times), unit: "ms", ...goal }];
}

const enrichments = 100;
const enrichWarmUp = 20;

function somebody(people: number, random: () => number): object {
  const { email, networkUrl, firstName, lastName, company } = prospect(1, Math.floor(random() * people));
  const kind = random();
  if (kind < 0.1) return { email: `stranger.${Math.floor(random() * 1e9)}@unknown.example` };
  if (kind < 0.5 && email !== undefined) return { email };
  return kind < 0.7 ? { networkUrl } : { firstName, lastName, company };
}

function bodies(of: (filter: object, n: number) => object): string[] {
  return Array.from({ length: combinations }, (_, n) => JSON.stringify(of(filters(7, n), n)));
}

async function searches(
  server: Server,
  key: string,
  of: readonly string[],
  durationMs: number,
  path: "search" | "facets" = "search",
): Promise<LoadResult> {
  return await load({
    port: server.port,
    method: "POST",
    path: `/api/v2/prospecting/${path}`,
    headers: { "x-api-key": key },
    bodies: of,
    connections: clients,
    warmUpMs: 1000,
    durationMs,
  });
}

/** The same searches for the last page of what they find. */
async function deepest(
  server: Server,
  key: string,
  first: readonly string[],
): Promise<{ first: string; deep: string }[]> {
  const pairs: { first: string; deep: string }[] = [];
  for (const body of first) {
    const { total } = await answerOf<{ total: number }>(
      fetch(`${api(server)}/prospecting/search`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body,
      }),
    );
    if (total < 50) continue;
    pairs.push({ first: body, deep: JSON.stringify({ ...(JSON.parse(body) as object), offset: total - 25 }) });
  }
  return pairs;
}

async function importAll(
  directory: string,
  files: number,
  server: Server,
  key: string,
  goals: { rows?: number },
): Promise<Measure[]> {
  const others: LoadResult[][] = [];
  let seconds = 0;
  let cpuSeconds = 0;
  let most = 0;
  let before = 0;
  for (let file = 0; file < files; file++) {
    const path = join(directory, "prospects.csv");
    await writeProspects(path, file * fileRows);
    // Not as the server starts: it has settled while the file was written, which takes it some MB.
    if (file === 0) before = (await memoryOf(server.pid)).resident;
    const cpuBefore = await cpuOf(server.pid);
    const importing = importFile(server, key, path);
    const meanwhile = Promise.all(requestsMeanwhile(server, key));
    for (let done = false; !done;) {
      done = await Promise.race([importing.then(() => true), Bun.sleep(100).then(() => false)]);
      most = Math.max(most, (await memoryOf(server.pid)).resident);
    }
    seconds += await importing;
    others.push(await meanwhile);
    cpuSeconds += (await cpuOf(server.pid)) - cpuBefore;
    await rm(path);
  }
  const rows = files * fileRows;
  return [
    { name: "rows imported", value: rows / seconds, unit: "/s", ...(goals.rows && { goal: { atLeast: goals.rows } }) },
    { name: "core time of a row imported", value: (cpuSeconds * 1e6) / rows, unit: "µs" },
    {
      name: "resident memory, growth during the import",
      value: (most - before) / 1e6,
      unit: "MB",
      goal: { atMost: 128 },
    },
    ...["GET /leads", "POST /leads"].map((name, at): Measure => {
      const value = Math.max(...others.map((results) => results[at]!.p99Ms));
      return { name: `${name} meanwhile, p99`, value, unit: "ms" };
    }),
  ];
}

/** A few requests of others while a file is read: too few to take part of its cores. */
function requestsMeanwhile(server: Server, key: string): Promise<LoadResult>[] {
  const headers = { "x-api-key": key };
  const pace = { port: server.port, connections: 1, pauseMs: 50, warmUpMs: 2000, durationMs: 8000 };
  return [
    load({ ...pace, method: "GET", path: "/api/v2/leads?limit=50", headers }),
    load({ ...pace, method: "POST", path: "/api/v2/leads", headers, body: "lead" }),
  ];
}

async function writeProspects(path: string, from: number): Promise<void> {
  const file = await open(path, "w");
  await file.write(prospectCsvHeader);
  for (let n = from; n < from + fileRows; n += 10_000)
    await file.write(Array.from({ length: 10_000 }, (_, i) => prospectCsvRow(1, n + i)).join(""));
  await file.close();
}

/** Answers the seconds from the first byte until every row was a prospect; rejects when one is not. */
async function importFile(server: Server, key: string, path: string): Promise<number> {
  const startedAt = performance.now();
  const headers = { "x-api-key": key, "content-type": "text/csv" };
  type ImportJob = { id: string; status: string; message: string; metadata: { created?: number } };
  let job = await answerOf<ImportJob>(
    fetch(`${api(server)}/prospecting/import`, { method: "POST", headers, body: Bun.file(path) }),
  );
  while (job.status === "pending" || job.status === "running") {
    await Bun.sleep(50);
    job = await answerOf<ImportJob>(fetch(`${api(server)}/users/jobs/${job.id}`, { headers: { "x-api-key": key } }));
  }
  if (job.status !== "completed" || job.metadata.created !== fileRows)
    throw new Error(`Expected ${fileRows} prospects, got ${job.status}: ${job.message}`);
  return (performance.now() - startedAt) / 1000;
}

function api(server: Server): string {
  return `http://127.0.0.1:${server.port}/api/v2`;
}

async function answerOf<T>(answer: Promise<Response>): Promise<T> {
  const response = await answer;
  if (!response.ok) throw new Error(`Expected success, got ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}
