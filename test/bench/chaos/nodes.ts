import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { programCommand } from "../server.ts";
import type { Database } from "./database.ts";
import { Proxy } from "./proxy.ts";

/** Debian's faketime, which shifts the clock of a process. */
const fakeTime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
export const canShiftClocks = existsSync(fakeTime);

/** A process of the cluster with its own way to the database, which can die and come back. */
export class Node {
  readonly name: string;
  readonly port: number;
  readonly proxy: Proxy;
  readonly #directory: string;
  readonly #env: Record<string, string>;
  #child: Bun.Subprocess | null = null;
  #starts = 0;

  static async create(name: string, port: number, directory: string, database: Database, env: Record<string, string>) {
    const proxy = new Proxy(database.port);
    const url = database.url(await proxy.listen());
    return new Node(name, port, directory, proxy, { ...env, OUTREACHD_DATABASE: url });
  }

  private constructor(name: string, port: number, directory: string, proxy: Proxy, env: Record<string, string>) {
    this.name = name;
    this.port = port;
    this.proxy = proxy;
    this.#directory = join(directory, name);
    this.#env = env;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Standard output of the first start, which has the key of the admin. */
  get firstOutput(): string {
    return join(this.#directory, "out-1.log");
  }

  get logs(): string[] {
    return Array.from({ length: this.#starts }, (_, n) => join(this.#directory, `err-${n + 1}.log`));
  }

  /** Resolves once it is ready; starts it again if it does not start, as a supervisor does. */
  async start(clockAheadSeconds = 0): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (performance.now() < deadline) {
      this.#spawn(clockAheadSeconds);
      while (this.isRunning) {
        if (await this.#isReady()) return;
        await Bun.sleep(50);
      }
      await Bun.sleep(500);
    }
    throw new Error(`${this.name} did not start; see ${this.logs.at(-1)}`);
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#child?.kill("SIGCONT");
    this.#child?.kill(signal);
    await this.#child?.exited;
  }

  #spawn(clockAheadSeconds: number): void {
    this.#starts++;
    const shifted = {
      LD_PRELOAD: fakeTime,
      FAKETIME: `${clockAheadSeconds > 0 ? "+" : ""}${clockAheadSeconds}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    this.#child = Bun.spawn([...programCommand, "serve"], {
      cwd: this.#directory,
      stdin: "ignore",
      stdout: Bun.file(join(this.#directory, `out-${this.#starts}.log`)),
      stderr: Bun.file(join(this.#directory, `err-${this.#starts}.log`)),
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: "/nonexistent",
        OUTREACHD_DATA: join(this.#directory, "data"),
        OUTREACHD_LISTEN: `127.0.0.1:${this.port}`,
        ...this.#env,
        ...(canShiftClocks && clockAheadSeconds !== 0 && shifted),
      },
    });
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal: AbortSignal.timeout(2000) })).ok;
    } catch {
      return false;
    }
  }
}
