import { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, openSync, statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createApi } from "../api.ts";
import { load, type LoadResult, type LoadSpec } from "../load.ts";
import type { BenchCase, Measure } from "../report.ts";
import {
  copyHome,
  cpuOf,
  createHome,
  databasePath,
  fillWithLeads,
  keptDirectory,
  memoryOf,
  runCommand,
  startServer,
  withDirectory,
  type Home,
  type Server,
} from "../server.ts";

/** So many make a database of 1 GB. */
const leads = 2_000_000;
const clients = 16;
const pauseMs = 20;

/** A backup must not be felt by those who work meanwhile. */
export const backup: BenchCase = {
  about: `backup of ${leads.toLocaleString("en-US")} leads while ${clients} clients store more`,
  run: () => withDirectory(measureBackup),
  isLong: true,
};

/** What is restored must be what was there. */
export const restore: BenchCase = {
  about: `restore of ${leads.toLocaleString("en-US")} leads, and each table compared`,
  run: () => withDirectory(measureRestore),
  isLong: true,
};

async function measureBackup(directory: string): Promise<Measure[]> {
  const home = await copyHome(await preparedHome(leads), join(directory, "home"));
  sync(databasePath(home)); // else the measured commits wait for the copy
  const { alone, meanwhile, backupMs, growthMB } = await backupUnderLoad(home);
  return [
    { name: "database", value: statSync(databasePath(home)).size / 1e6, unit: "MB" },
    { name: "POST /leads alone, p99", value: alone.p99Ms, unit: "ms" },
    { name: "POST /leads during a backup, p99", value: meanwhile.p99Ms, unit: "ms", goal: { atMost: 50 } },
    { name: "POST /leads during a backup, p50", value: meanwhile.p50Ms, unit: "ms" },
    { name: "POST /leads during a backup, slowest", value: meanwhile.maxMs, unit: "ms" },
    { name: "POST /leads during a backup", value: meanwhile.perSecond, unit: "/s" },
    { name: "backup", value: backupMs, unit: "ms" },
    { name: "resident memory, growth during the backup", value: growthMB, unit: "MB", goal: { atMost: 128 } },
  ];
}

async function measureRestore(directory: string): Promise<Measure[]> {
  const home = await preparedHome(leads);
  const archive = join(directory, "backup.tar.zst");
  const made = await runCommand(["backup", "--data", home.directory, "--output", archive]);
  const restored: Home = { directory: join(directory, "restored"), key: home.key };
  const putBack = await runCommand(["restore", archive, "--data", restored.directory]);
  const { rows, different } = compareTables(databasePath(home), databasePath(restored));
  return [
    { name: "database", value: statSync(databasePath(home)).size / 1e6, unit: "MB" },
    { name: "archive", value: statSync(archive).size / 1e6, unit: "MB" },
    { name: "backup without a server", value: made.ms, unit: "ms" },
    { name: "its memory at its highest", value: made.memoryMB, unit: "MB" },
    { name: "restore", value: putBack.ms, unit: "ms" },
    { name: "its memory at its highest", value: putBack.memoryMB, unit: "MB", goal: { atMost: 256 } },
    { name: "rows compared", value: rows, unit: "count" },
    { name: "rows that differ after the restore", value: different, unit: "count", goal: { atMost: 0 } },
  ];
}

/** Filled once and kept, because that takes longer than all the rest. */
export async function preparedHome(count: number): Promise<Home> {
  const directory = keptDirectory(`settled-${count}`);
  const keyPath = join(directory, "key");
  if (!existsSync(keyPath)) {
    await rm(directory, { recursive: true, force: true });
    const home = await createHome(directory);
    await fillWithLeads(home, 2, count);
    await settle(home);
    await Bun.write(keyPath, home.key); // the last step, so that one that was broken off is begun anew
  }
  return { directory, key: await readFile(keyPath, "utf8") };
}

/**
 * Leads that were put into the database by its file leave to the server what it does along with each that it stores
 * itself: sorting their keys, and learning from them. A server that has stored them has done so long ago.
 */
async function settle(home: Home): Promise<void> {
  const server = await startServer(home);
  try {
    await createApi(server.port, home.key).post("/leads", { email: "first@example.com" });
    for (let quiet = 0, before = await cpuOf(server.pid); quiet < 5;) {
      await Bun.sleep(1000);
      const used = await cpuOf(server.pid);
      quiet = used - before < 0.05 ? quiet + 1 : 0;
      before = used;
    }
  } finally {
    await server.stop();
  }
}

async function backupUnderLoad(home: Home) {
  const server = await startServer(home);
  try {
    // The first lead waits until the server has read by what the others are found.
    await createApi(server.port, home.key).post("/leads", { email: "first@example.com" });
    const alone = await store(server, home, 3, { durationMs: 4000 });
    const before = (await memoryOf(server.pid)).resident;
    const work = makeBackup(server, home);
    const meanwhile = await store(server, home, 4, { durationMs: 60_000 }, work);
    const { ms, most } = await work;
    return { alone, meanwhile, backupMs: ms, growthMB: (most - before) / 1e6 };
  } finally {
    await server.stop();
  }
}

export async function store(
  server: Server,
  { key }: Home,
  seed: number,
  spec: Pick<LoadSpec, "durationMs">,
  until?: Promise<unknown>,
): Promise<LoadResult> {
  const path = "/api/v2/leads";
  const headers = { "x-api-key": key };
  return await load(
    {
      port: server.port,
      method: "POST",
      path,
      headers,
      body: "lead",
      connections: clients,
      pauseMs,
      seed,
      warmUpMs,
      ...spec,
    },
    until === undefined ? {} : { until },
  );
}

const warmUpMs = 1000;

/** Begins at the end of the load's warm-up; answers how long it took, and the server's memory at its highest. */
export async function makeBackup({ port, pid }: Server, { key }: Home): Promise<{ ms: number; most: number }> {
  await Bun.sleep(warmUpMs);
  type Run = { name: string; status: string; message: string };
  const api = createApi(port, key);
  const startedAt = performance.now();
  let run = await api.post<Run>("/backups", {});
  let most = 0;
  for (; run.status === "running"; run = await api.get<Run>(`/backups/${run.name}`)) {
    most = Math.max(most, (await memoryOf(pid)).resident);
    await Bun.sleep(100);
  }
  if (run.status !== "completed") throw new Error(`The backup ended as ${run.status}: ${run.message}`);
  return { ms: performance.now() - startedAt, most };
}

function sync(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

/** The server goes on learning from the leads after the copy was taken, in the background. */
const learnedMeanwhile = ["lead_hints", "lead_hints_done"];

/** Every row of every other table, value by value, in the order of the tables. */
function compareTables(before: string, after: string): { rows: number; different: number } {
  const [one, two] = [before, after].map((path) => new Database(path, { readonly: true, safeIntegers: true }));
  if (one === undefined || two === undefined) throw new Error("There are two");
  const tables =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
  const names = one.query<{ name: string }, []>(tables).all();
  let rows = 0;
  let different = Bun.deepEquals(names, two.query(tables).all()) ? 0 : 1;
  for (const { name } of names.filter((table) => !learnedMeanwhile.includes(table.name))) {
    const others = two.query(`SELECT * FROM "${name}"`).iterate();
    for (const row of one.query(`SELECT * FROM "${name}"`).iterate()) {
      rows++;
      if (!Bun.deepEquals(row, others.next().value, true)) different++;
    }
    for (; others.next().done !== true;) different++;
  }
  one.close();
  two.close();
  return { rows, different };
}
