import { open } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../../src/adapters/storage/sqlite/open.ts";
import { keysOf, leadInserter, leadRow, ownerOf } from "../lead-rows.ts";
import { load } from "../load.ts";
import { csvHeader, csvRow, person } from "../people.ts";
import type { BenchCase } from "../report.ts";
import {
  copyHome,
  createHome,
  databasePath,
  fillWithLeads,
  memoryOf,
  startServer,
  withDirectory,
  type Home,
  type Server,
} from "../server.ts";

const rows = 1_000_000;

/** A large import must not be felt by those who work meanwhile: in memory it is flat, and lists stay quick. */
export const importLeads: BenchCase = {
  about: `POST /api/v2/leads/import of ${rows.toLocaleString("en-US")} CSV rows, lists read meanwhile`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const file = join(directory, "people.csv");
  await writePeople(file);
  const home = await createHome(join(directory, "home"));
  await fillWithLeads(home, 2, 10_000);
  const bareSeconds = importBare(await copyHome(home, join(directory, "bare")));
  const server = await startServer(home);
  try {
    const lists = {
      port: server.port,
      method: "GET",
      path: "/api/v2/leads?limit=50",
      headers: { "x-api-key": home.key },
      connections: 4,
      pauseMs: 20,
      warmUpMs: 500,
    } as const;
    const alone = await load({ ...lists, durationMs: 3000 });
    const importing = importFile(server, home.key, file);
    const [seconds, growth, meanwhile] = await Promise.all([
      importing,
      growthDuring(importing, server),
      load({ ...lists, durationMs: 600_000 }, { until: importing }),
    ]);
    return [
      { name: "rows", value: rows / seconds, unit: "/s" as const, goal: { atLeast: 20_000 } },
      { name: "ours : bare INSERTs in batches", value: bareSeconds / seconds, unit: "ratio" as const },
      { name: "bare, rows", value: rows / bareSeconds, unit: "/s" as const },
      { name: "resident memory, growth", value: growth.resident, unit: "MB" as const, goal: { atMost: 64 } },
      { name: "of that without mapped files", value: growth.anonymous, unit: "MB" as const },
      { name: "lists meanwhile, p99", value: meanwhile.p99Ms, unit: "ms" as const, goal: { atMost: 50 } },
      { name: "lists meanwhile, p50", value: meanwhile.p50Ms, unit: "ms" as const },
      { name: "lists meanwhile, slowest", value: meanwhile.maxMs, unit: "ms" as const },
      { name: "lists meanwhile", value: meanwhile.perSecond, unit: "/s" as const },
      { name: "lists without the import, p99", value: alone.p99Ms, unit: "ms" as const },
    ];
  } finally {
    await server.stop();
  }
}

/** The least that is to be done: look for duplicates and store, 250 rows in a transaction. Answers the seconds. */
function importBare(home: Home): number {
  const database = openDatabase(databasePath(home));
  const owner = ownerOf(database);
  const insert = leadInserter(database);
  const same = database.prepare("SELECT lead FROM lead_keys WHERE key = ?");
  const storeBatch = database.transaction((from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const row = leadRow(owner, person(1, n), Date.now());
      for (const key of keysOf(row)) same.values(key);
      insert(row);
    }
  });
  const startedAt = performance.now();
  for (let from = 0; from < rows; from += 250) storeBatch.immediate(from, Math.min(from + 250, rows));
  const seconds = (performance.now() - startedAt) / 1000;
  database.close(true);
  return seconds;
}

async function writePeople(path: string): Promise<void> {
  const file = await open(path, "w");
  await file.write(csvHeader);
  for (let from = 0; from < rows; from += 10_000)
    await file.write(Array.from({ length: Math.min(10_000, rows - from) }, (_, i) => csvRow(1, from + i)).join(""));
  await file.close();
}

/** Answers the seconds it took until every row was a lead; rejects when one is not. */
async function importFile(server: Server, key: string, path: string): Promise<number> {
  const startedAt = performance.now();
  const api = `http://127.0.0.1:${server.port}/api/v2`;
  const headers = { "x-api-key": key, "content-type": "text/csv" };
  let job = await answerOf(fetch(`${api}/leads/import`, { method: "POST", headers, body: Bun.file(path) }));
  while (job.status === "pending" || job.status === "running") {
    await Bun.sleep(50);
    job = await answerOf(fetch(`${api}/users/jobs/${job.id}`, { headers: { "x-api-key": key } }));
  }
  if (job.status !== "completed" || job.metadata.created !== rows)
    throw new Error(`Expected ${rows} leads, got ${job.status}: ${job.message} ${JSON.stringify(job.metadata)}`);
  return (performance.now() - startedAt) / 1000;
}

type ImportJob = { id: string; status: string; message: string; metadata: { created?: number } };

async function answerOf(answer: Promise<Response>): Promise<ImportJob> {
  const response = await answer;
  if (!response.ok) throw new Error(`Expected a job, got ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: ImportJob }).data;
}

/** How far the server's memory rises above what it is now, in MB, looking ten times a second until `work` is done. */
async function growthDuring(work: Promise<unknown>, server: Server): Promise<{ resident: number; anonymous: number }> {
  const before = await memoryOf(server.pid);
  const most = { ...before };
  for (let done = false; !done;) {
    done = await Promise.race([work.then(() => true), Bun.sleep(100).then(() => false)]);
    const now = await memoryOf(server.pid);
    most.resident = Math.max(most.resident, now.resident);
    most.anonymous = Math.max(most.anonymous, now.anonymous);
  }
  return {
    resident: (most.resident - before.resident) / 1e6,
    anonymous: (most.anonymous - before.anonymous) / 1e6,
  };
}
