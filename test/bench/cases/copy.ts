import { existsSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CopyReport } from "../../../src/app/copy.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { csvHeader, csvRow } from "../people.ts";
import { prospectCsvHeader, prospectCsvRow } from "../prospect-people.ts";
import type { BenchCase, BenchOptions, Measure } from "../report.ts";
import {
  cpuOf,
  createHome,
  keptDirectory,
  programCommand,
  startServer,
  withDirectory,
  type Home,
  type Server,
} from "../server.ts";

const each = 1_000_000;
const fileRows = 250_000;

/** Both engines must end up with the same rows, in minutes. */
export const copy: BenchCase = {
  about: `outreachd copy of ${each.toLocaleString("en-US")} leads and as many prospects to PostgreSQL, and back`,
  run: (options) => withDirectory((directory) => measure(directory, options)),
  isLong: true,
};

async function measure(directory: string, { keep }: BenchOptions): Promise<Measure[]> {
  const home = await preparedHome(keep);
  process.env["OUTREACHD_TEST_POSTGRES"] = "durable";
  process.env["TMPDIR"] ??= join(directory, "..");
  const database = await createTestDatabase();
  try {
    const files = join(directory, "files");
    const back = join(directory, "back");
    const there = await run(["--from", home.directory, "--database", database.url, "--to-files", files]);
    const returned = await run(["--database", database.url, "--from-files", files, "--to", back]);
    show(there.report);
    const different = there.report.tables.filter(
      ({ table, rows, checksum }) =>
        !returned.report.tables.some(
          (other) => other.table === table && other.rows === rows && other.checksum === checksum,
        ),
    );
    return [
      { name: "rows of all tables", value: there.rows, unit: "count" },
      ...measuresOf("to PostgreSQL", there),
      ...measuresOf("to SQLite", returned),
      { name: "tables whose checksums differ", value: different.length, unit: "count", goal: { atMost: 0 } },
    ];
  } finally {
    await database.drop();
  }
}

type Run = { report: CopyReport & { seconds: number }; rows: number; memoryMB: number };

async function run(args: readonly string[]): Promise<Run> {
  const child = Bun.spawn([...programCommand, "copy", "--json", ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`copy ${args.join(" ")} failed: ${problem}${out}`);
  const report = JSON.parse(out.trim().split("\n").at(-1)!) as Run["report"];
  const rows = report.tables.reduce((sum, table) => sum + table.rows, 0);
  return { report, rows, memoryMB: (child.resourceUsage()?.maxRSS ?? 0) / 1e6 };
}

function measuresOf(name: string, { report: { seconds }, rows, memoryMB }: Run): Measure[] {
  return [
    { name: `${name}, rows`, value: rows / seconds, unit: "/s", goal: { atLeast: 20_000 } },
    { name: `${name}, leads and prospects`, value: (2 * each) / seconds, unit: "/s" },
    { name: `${name}, time`, value: seconds * 1000, unit: "ms" },
    { name: `${name}, memory at its highest`, value: memoryMB, unit: "MB", goal: { atMost: 512 } },
  ];
}

function show({ tables }: CopyReport): void {
  for (const { table, rows, checksum } of tables.filter((shown) => shown.rows > 0))
    console.error(`  ${checksum}  ${table}, ${rows.toLocaleString("en-US")} rows`);
}

/** Filled once and kept, because that takes longer than all the rest. */
async function preparedHome(keep: string | null): Promise<Home> {
  const directory = keep === null ? keptDirectory(`copy-${each}`) : join(keep, `copy-${each}`);
  const keyPath = join(directory, "key");
  if (existsSync(keyPath)) return { directory, key: await readFile(keyPath, "utf8") };
  await rm(directory, { recursive: true, force: true });
  const home = await createHome(directory);
  const server = await startServer(home, { OUTREACHD_MAX_IMPORT_BYTES: "1GB" });
  try {
    for (let from = 0; from < each; from += fileRows) {
      await imported(server, home, "leads", csvHeader, (n) => csvRow(1, from + n));
      await imported(server, home, "prospecting", prospectCsvHeader, (n) => prospectCsvRow(1, from + n));
    }
    await quiet(server);
  } finally {
    await server.stop();
  }
  await Bun.write(keyPath, home.key); // the last step, so that one that was broken off is begun anew
  return home;
}

async function imported(server: Server, home: Home, what: string, header: string, row: (n: number) => string) {
  const path = join(home.directory, "rows.csv");
  const file = await open(path, "w");
  await file.write(header);
  for (let n = 0; n < fileRows; n += 10_000)
    await file.write(Array.from({ length: 10_000 }, (_, i) => row(n + i)).join(""));
  await file.close();
  const headers = { "x-api-key": home.key, "content-type": "text/csv" };
  const api = `http://127.0.0.1:${server.port}/api/v2`;
  type Job = { id: string; status: string; message: string };
  const answered = async (response: Response) => ((await response.json()) as { data: Job }).data;
  let job = await answered(await fetch(`${api}/${what}/import`, { method: "POST", headers, body: Bun.file(path) }));
  while (job.status === "pending" || job.status === "running") {
    await Bun.sleep(100);
    job = await answered(await fetch(`${api}/users/jobs/${job.id}`, { headers }));
  }
  await rm(path);
  if (job.status !== "completed") throw new Error(`Expected the import to complete, it ${job.status}: ${job.message}`);
}

/** Until the server has learned from the leads. */
async function quiet(server: Server): Promise<void> {
  for (let seconds = 0, before = await cpuOf(server.pid); seconds < 5;) {
    await Bun.sleep(1000);
    const used = await cpuOf(server.pid);
    seconds = used - before < 0.05 ? seconds + 1 : 0;
    before = used;
  }
}
