import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import type { BareMode } from "./bare.ts";
import { keysToMerge, leadInserter, leadRow, ownerOf } from "./lead-rows.ts";
import { person } from "./people.ts";

const root = join(import.meta.dir, "../..");
const executable = join(root, "dist", process.platform === "win32" ? "outreachd.exe" : "outreachd");

/** The compiled executable if there is one, because that is what people run; else the source. */
export const isCompiled = existsSync(executable);
export const programCommand = isCompiled ? [executable] : [process.execPath, join(root, "src/main.ts")];

export type Server = {
  port: number;
  pid: number;
  /** Milliseconds from the start of the process to the first 200 of /readyz. */
  readyMs: number;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
  /** What a power cut does to it: SIGKILL. */
  kill(): Promise<void>;
};

/** A data directory that a first start made, with the API key of its admin. */
export type Home = { directory: string; key: string };

/** Runs `work` with an empty directory on the project's own disk (a temporary one may be in memory), then removes it. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  await mkdir(join(root, "dist"), { recursive: true });
  const directory = await mkdtemp(join(root, "dist", "bench-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Where what takes long to prepare is kept from one run to the next; `dist` can be removed at any time. */
export function keptDirectory(name: string): string {
  return join(root, "dist", "bench-kept", name);
}

/** Runs a command of the program to its end; answers how long it took, and its memory at its highest. */
export async function runCommand(args: readonly string[]): Promise<{ ms: number; memoryMB: number }> {
  const startedAt = performance.now();
  const child = Bun.spawn([...programCommand, ...args], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const problem = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${args.join(" ")} failed: ${problem}`);
  return { ms: performance.now() - startedAt, memoryMB: (child.resourceUsage()?.maxRSS ?? 0) / 1e6 };
}

/** Lets the server make its database and its first key, and stops it again. */
export async function createHome(directory: string, settings: Record<string, string> = {}): Promise<Home> {
  await mkdir(directory, { recursive: true });
  const server = await startServer({ directory, key: "" }, settings);
  await server.stop();
  const key = /oak_[0-9a-f]{64}/.exec(await readFile(join(directory, "stdout.log"), "utf8"))?.[0];
  if (key === undefined) throw new Error("The first start printed no API key on standard output");
  return { directory, key };
}

/** The same data under another path; the server of `home` must not run. */
export async function copyHome(home: Home, directory: string): Promise<Home> {
  await cp(home.directory, directory, { recursive: true });
  return { directory, key: home.key };
}

export function databasePath(home: Home): string {
  return join(home.directory, "outreachd.db");
}

/** Resolves when it is ready to serve. Everything but the limits of use stays as it is for everybody. */
export async function startServer(home: Home, settings: Record<string, string> = {}): Promise<Server> {
  const port = freePort();
  const startedAt = performance.now();
  const child = Bun.spawn([...programCommand, "serve"], {
    cwd: home.directory,
    stdin: "ignore",
    stdout: Bun.file(join(home.directory, "stdout.log")),
    stderr: Bun.file(join(home.directory, "stderr.log")),
    env: {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      OUTREACHD_DATA: home.directory,
      OUTREACHD_LISTEN: `127.0.0.1:${port}`,
      OUTREACHD_RATE_LIMIT_MINUTE: "0",
      OUTREACHD_RATE_LIMIT_HOUR: "0",
      OUTREACHD_RATE_LIMIT_DAY: "0",
      OUTREACHD_ENRICHMENTS_PER_HOUR: "0",
      OUTREACHD_DEFAULT_CREDITS: "1000000000",
      ...settings,
    },
  });
  while (!(await answers(`http://127.0.0.1:${port}/readyz`))) {
    if (child.exitCode !== null || performance.now() - startedAt > 20_000) {
      child.kill("SIGKILL");
      throw new Error(`The server did not start:\n${await readFile(join(home.directory, "stderr.log"), "utf8")}`);
    }
    await Bun.sleep(1);
  }
  return { port, pid: child.pid, readyMs: performance.now() - startedAt, ...endings(child) };
}

/** Starts a bare handler on the database of `home`, in a process of its own like the server. */
export function startBare(mode: BareMode, home: Home): Promise<Server> {
  return startHandler("bare.ts", mode, databasePath(home));
}

/** Starts a program of this directory that prints the URL that it listens on. */
export async function startHandler(program: string, ...parameters: string[]): Promise<Server> {
  const startedAt = performance.now();
  const bare = [process.execPath, join(import.meta.dir, program), ...parameters];
  const child = Bun.spawn(bare, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const port = Number(/:(\d+)\//.exec(new TextDecoder().decode(value))?.[1]);
  if (!port) throw new Error(`The bare handler did not start`);
  return { port, pid: child.pid, readyMs: performance.now() - startedAt, ...endings(child) };
}

function endings(child: Bun.Subprocess): Pick<Server, "stop" | "kill"> {
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await child.exited;
  };
  return { stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false;
  }
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** Memory of a process in bytes, as Linux counts it: all that is resident, and without the pages of mapped files. */
export async function memoryOf(pid: number): Promise<{ resident: number; anonymous: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { resident: bytes("VmRSS"), anonymous: bytes("RssAnon") };
}

/** Seconds of a core that a process has used, all of its threads together. */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(user) + Number(system)) / 100; // the unit is a clock tick: proc_pid_stat(5)
}

/** Puts the first `count` people of a seed into the database; the server of `home` must not run. */
export async function fillWithLeads(home: Home, seed: number, count: number): Promise<void> {
  const database = openDatabase(databasePath(home));
  const owner = ownerOf(database);
  const keys = keysToMerge(database);
  const insert = leadInserter(database, keys.keep);
  const firstCreatedAt = Date.now() - count;
  database.transaction(() => {
    for (let n = 0; n < count; n++) insert(leadRow(owner, person(seed, n), firstCreatedAt + n));
    keys.merge();
  })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close(true);
}
