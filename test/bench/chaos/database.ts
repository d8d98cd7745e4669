import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Sql } from "postgres";
import { connect } from "../../../src/adapters/storage/postgres/engine.ts";

/** PostgreSQL refuses to run as root; this is the user nobody. */
const identity: SpawnOptions = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };

/** A PostgreSQL that waits for its disk, as in production, and can be restarted. */
export class Database {
  readonly port: number;
  readonly #folder: string;
  readonly #binaries: string;
  #server: ChildProcess | null = null;

  constructor(port: number) {
    this.port = port;
    this.#binaries = findBinaries();
    this.#folder = mkdtempSync(join(tmpdir(), "outreachd-chaos-"));
    chmodSync(this.#folder, 0o755);
  }

  url(port = this.port): string {
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  async start(): Promise<void> {
    const data = join(this.#folder, "data");
    if (!existsSync(data)) {
      mkdirSync(data);
      if (identity.uid !== undefined) chownSync(data, identity.uid, identity.gid!);
      const made = spawnSync(
        join(this.#binaries, "initdb"),
        ["-D", data, "-U", "postgres", "-A", "trust", "--encoding=UTF8"],
        {
          ...{ ...identity, env, cwd: data, encoding: "utf8" },
        },
      );
      if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
    }
    const settings = [
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      `port=${this.port}`,
      "max_connections=200",
    ];
    this.#server = spawn(join(this.#binaries, "postgres"), ["-D", data, ...settings.flatMap((each) => ["-c", each])], {
      ...{ ...identity, env, cwd: data, stdio: "ignore" },
    });
    while (!(await this.#answers())) {
      if (this.#server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${this.#server.exitCode}`);
      await Bun.sleep(50);
    }
  }

  /** `fast` ends sessions and writes a checkpoint; `immediate` ends as a crash does. */
  async stop(how: "fast" | "immediate"): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    if (server.exitCode === null && server.signalCode === null) await ended;
    this.#server = null;
  }

  /** Runs `work` on a connection of its own, past all proxies. */
  async query<T>(work: (client: Sql) => Promise<T>): Promise<T> {
    const client = connect(this.url(), { poolSize: 1, hasSettings: false });
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("immediate");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    return await this.query(async (client) => (await client`SELECT 1`).length > 0).catch(() => false);
  }
}

function findBinaries(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).filter((version) => Number(version) >= 15) : [];
  const newest = versions.toSorted((a, b) => Number(a) - Number(b)).at(-1);
  if (newest !== undefined) return join(debian, newest, "bin");
  const installed = Bun.which("initdb");
  if (installed === null) throw new Error("chaos needs PostgreSQL 15 or later: install it, or add it to PATH.");
  return dirname(installed);
}
