import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { isAlive } from "./processes.ts";

/** A separate database with all tables and no rows. */
export type TestDatabase = {
  url: string;
  /** Ends every connection to it, as if its clients had died. */
  disconnect(): Promise<void>;
  /** Empties it for another test. */
  release(): Promise<void>;
  /** For a test that has changed its tables. */
  drop(): Promise<void>;
};

/** The process that lasts for the whole test run: with --parallel, the parent of this one. */
const runPid = process.env["BUN_TEST_WORKER_ID"] === undefined ? process.pid : process.ppid;
/** Initializing a cluster takes about a second; on a busy machine, much longer. */
const startTimeoutMs = 60_000;

let admin: Promise<{ url: string; client: Sql }> | null = null;
let made = 0;
/** Emptied databases of earlier tests: emptying one takes a tenth of the time of copying the template. */
const spare: string[] = [];

/** The first caller of a test run starts the server, which all processes of the run share. */
export async function createTestDatabase(): Promise<TestDatabase> {
  admin ??= serverUrl().then((url) => ({ url, client: connect(`${url}/postgres`, { poolSize: 2 }) }));
  const { url, client } = await admin;
  const name = spare.pop() ?? (await copyTemplate(client));
  const disconnect = async () =>
    void (await client`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`);
  return {
    url: `${url}/${name}`,
    disconnect,
    release: async () => {
      await disconnect();
      await empty(`${url}/${name}`);
      spare.push(name);
    },
    drop: async () => void (await client.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

async function copyTemplate(client: Sql): Promise<string> {
  const name = `test_${process.pid}_${Date.now()}_${++made}`;
  await client.unsafe(`CREATE DATABASE ${name} TEMPLATE template`);
  return name;
}

async function empty(url: string): Promise<void> {
  const client = connect(url, { poolSize: 1 });
  const tables = await client<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations'`;
  // Not TRUNCATE, which makes new files. Without the triggers of foreign keys, since nothing remains to refer to.
  const deletions = tables.map(({ name }) => `DELETE FROM ${name};`).join("\n");
  await client.unsafe(`BEGIN; SET LOCAL session_replication_role = replica; ${deletions} ${rowsOfMigrations} COMMIT`);
  await client.end();
}

/** What a new database starts with. */
const rowsOfMigrations =
  "INSERT INTO audit_end VALUES (1, 0, decode(repeat('00', 32), 'hex')); INSERT INTO keys_version VALUES (1, 0);";

async function serverUrl(): Promise<string> {
  const folder = join(tmpdir(), `outreachd-postgres-${runPid}`);
  removeAbandoned(folder);
  if (isFirst(folder)) startServer(folder);
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    for (const name of ["url", "error"]) {
      const file = join(folder, name);
      if (!existsSync(file)) continue;
      if (name === "error") throw new Error(readFileSync(file, "utf8"));
      return readFileSync(file, "utf8");
    }
    await Bun.sleep(20);
  }
  throw new Error(`PostgreSQL did not start within ${startTimeoutMs / 1000} s; see ${folder}/log`);
}

/** Of an earlier run with the same process ID that was killed together with its server. */
function removeAbandoned(folder: string): void {
  const pidFile = join(folder, "pid");
  if (!existsSync(pidFile) || isAlive(Number(readFileSync(pidFile, "utf8")))) return;
  const renamed = `${folder}-abandoned-${process.pid}`;
  try {
    renameSync(folder, renamed);
  } catch {
    // Another process of this run was faster.
    return;
  }
  rmSync(renamed, { recursive: true, force: true });
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** The server outlives this process, which may be one of several, and ends with the test run. */
function startServer(folder: string): void {
  const log = openSync(join(folder, "log"), "a");
  const program = join(import.meta.dir, "postgres-server.ts");
  const server = spawn(process.execPath, [program, folder, `${runPid}`], {
    detached: true,
    stdio: ["ignore", log, log],
  });
  server.unref();
  closeSync(log);
}
