import { mkdir } from "node:fs/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../src/adapters/storage/postgres/engine.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import type { BenchCase, Measure } from "../report.ts";
import { runCommand, startServer, withDirectory, type Home } from "../server.ts";
import { makeBackup, preparedHome, store } from "./backup.ts";

/** The second is to take longer, but no more memory. */
const sizes = [100_000, 1_000_000];

/** A backup of a database that nodes share must not be felt by those who work meanwhile. */
export const postgresBackup: BenchCase = {
  about: `PostgreSQL: backup and restore of ${sizes.map((n) => n.toLocaleString("en-US")).join(" and ")} leads while clients store more`,
  run: () => withDirectory(measure),
  isLong: true,
};

async function measure(directory: string): Promise<Measure[]> {
  process.env["OUTREACHD_TEST_POSTGRES"] = "durable";
  process.env["TMPDIR"] ??= join(directory, "..");
  const measures: Measure[] = [];
  const growths: number[] = [];
  for (const leads of sizes) {
    const place = join(directory, `${leads}`);
    await mkdir(place);
    const { growthMB, ...rest } = await measureSize(place, leads);
    growths.push(growthMB);
    measures.push(...rest.measures);
  }
  const [small = 0, large = 0] = growths;
  measures.push({
    name: "growth of memory with ten times the leads",
    value: large - small,
    unit: "MB",
    goal: { atMost: 64 },
  });
  return measures;
}

async function measureSize(directory: string, leads: number): Promise<{ growthMB: number; measures: Measure[] }> {
  const source = await preparedHome(leads);
  // An earlier version may have filled it; a start upgrades it.
  await (await startServer(source)).stop();
  const [database, target] = [await createTestDatabase(), await createTestDatabase()];
  try {
    const files = join(directory, "files");
    await runCommand(["copy", "--from", source.directory, "--database", database.url, "--to-files", files]);
    const home = { directory: join(directory, "home"), key: source.key };
    await mkdir(home.directory);
    const under = await backupUnderLoad(home, database.url);
    const archive = join(directory, "backup.tar.zst");
    const options = ["--database", database.url, "--data", join(directory, "scratch")];
    const made = await runCommand(["backup", ...options, "--output", archive]);
    const toDirectory = await runCommand(["restore", archive, "--data", join(directory, "restored")]);
    const toDatabase = ["--database", target.url, "--data", join(directory, "scratch")];
    const restored = await runCommand(["restore", archive, ...toDatabase]);
    const named = (name: string, value: number, unit: Measure["unit"], goal?: Measure["goal"]): Measure => ({
      ...{ name: `${leads.toLocaleString("en-US")} leads: ${name}`, value, unit },
      ...(goal !== undefined && { goal }),
    });
    return {
      growthMB: under.growthMB,
      measures: [
        named("size in PostgreSQL", await sizeOf(database.url), "MB"),
        named("archive", statSync(archive).size / 1e6, "MB"),
        named("POST /leads alone, p99", under.alone.p99Ms, "ms"),
        named("POST /leads during a backup, p99", under.meanwhile.p99Ms, "ms"),
        named("event loop alone, longest block", under.aloneLagMs, "ms"),
        named("event loop during a backup, longest block", under.lagMs, "ms", { atMost: 250 }),
        named("backup under load", under.backupMs, "ms"),
        named("growth of memory", under.growthMB, "MB", { atMost: 256 }),
        named("backup without a node", made.ms, "ms"),
        named("leads backed up", leads / (made.ms / 1000), "/s"),
        named("its memory at its highest", made.memoryMB, "MB"),
        named("restore to a directory", toDirectory.ms, "ms"),
        named("restore to a database", restored.ms, "ms"),
        ...(await ownTools(database.url, directory)).map(([name, ms]) => named(name, ms, "ms")),
      ],
    };
  } finally {
    await database.drop();
    await target.drop();
  }
}

/** Times of what PostgreSQL itself offers, where Debian's packages are installed. */
async function ownTools(url: string, directory: string): Promise<[name: string, ms: number][]> {
  const [folder] = [...new Bun.Glob("/usr/lib/postgresql/*/bin").scanSync({ onlyFiles: false })]
    .toSorted()
    .toReversed();
  if (folder === undefined) return [];
  const dump = join(directory, "dump");
  const target = await createTestDatabase();
  try {
    const dumped = await timeOf(join(folder, "pg_dump"), "--format=custom", "--file", dump, url);
    await empty(target.url);
    const restored = await timeOf(join(folder, "pg_restore"), "--no-owner", "--dbname", target.url, dump);
    return [
      ["pg_dump", dumped],
      ["pg_restore", restored],
    ];
  } finally {
    await target.drop();
  }
}

async function empty(url: string): Promise<void> {
  const client = connect(url, { poolSize: 1 });
  await client.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  await client.end();
}

async function timeOf(...command: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const problem = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${problem}`);
  return performance.now() - startedAt;
}

async function backupUnderLoad(home: Home, url: string) {
  const server = await startServer(home, { OUTREACHD_DATABASE: url });
  try {
    await longestBlock(server.port, home.key);
    const alone = await store(server, home, 3, { durationMs: 4000 });
    const aloneLagMs = (await longestBlock(server.port, home.key)) * 1000;
    const before = await highestMemory(server.pid);
    const work = makeBackup(server, home);
    const meanwhile = await store(server, home, 4, { durationMs: 300_000 }, work);
    const { ms } = await work;
    const lagMs = (await longestBlock(server.port, home.key)) * 1000;
    return { alone, aloneLagMs, meanwhile, backupMs: ms, lagMs, growthMB: (await highestMemory(server.pid)) - before };
  } finally {
    await server.stop();
  }
}

async function highestMemory(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}

/** In seconds, since it was last asked. */
async function longestBlock(port: number, key: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { "x-api-key": key } });
  return Number(/^outreachd_event_loop_lag_max_seconds (\S+)$/m.exec(await answer.text())?.[1]);
}

async function sizeOf(url: string): Promise<number> {
  const client = connect(url, { poolSize: 1 });
  const [row] = await client<{ bytes: number }[]>`SELECT pg_database_size(current_database())::float8 AS bytes`;
  await client.end();
  return row!.bytes / 1e6;
}
