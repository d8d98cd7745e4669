import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The real program: the compiled binary that OUTREACHD_TEST_BINARY names, else the source under this Bun. */
export const programCommand: readonly string[] = process.env["OUTREACHD_TEST_BINARY"]
  ? [process.env["OUTREACHD_TEST_BINARY"]]
  : [process.execPath, join(import.meta.dir, "../../src/main.ts")];

// Nothing of the developer's own settings may reach the program.
const cleanEnv = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC" };

type ProgramOptions = {
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  cwd?: string;
  /** A command that runs the program as its arguments, such as `setpriv`. */
  through?: readonly string[];
  /** Another command than that of the program. */
  command?: readonly string[];
};

/** Runs the program to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}) {
  return await startProgram(args, options).ended;
}

/** Starts the program; `ended` resolves with what it printed and its exit code. */
export function startProgram(
  args: readonly string[],
  { env, stdin, cwd, through = [], command = programCommand }: ProgramOptions = {},
) {
  const child = Bun.spawn([...through, ...command, ...args], {
    env: { ...cleanEnv, ...env },
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  const ended = Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]).then(
    ([out, err, exitCode]) => ({ exitCode, out, err }),
  );
  return { ended, kill: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => child.kill(signal) };
}

/** A directory that is gone at the end of the scope that holds it with `await using`. */
export async function createDirectory() {
  const path = await mkdtemp(join(tmpdir(), "outreachd-blackbox-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A server on any free port, ready to answer. `await using` stops it. */
export async function startServer(dataDir: string, options: ProgramOptions & { args?: readonly string[] } = {}) {
  const args = ["serve", "--json", "--listen", "127.0.0.1:0", "--data", dataDir, ...(options.args ?? [])];
  const child = Bun.spawn([...(options.through ?? []), ...(options.command ?? programCommand), ...args], {
    env: { ...cleanEnv, ...options.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const log = textOf(child.stderr);
  const line = await firstLine(child.stdout);
  if (line === "") throw new Error(`Expected the server to start, it ended with ${await child.exited}: ${await log}`);
  const summary = JSON.parse(line) as ServeSummary;
  if (summary.url === undefined)
    throw new Error(`The server did not start, it ended with ${await child.exited}: ${line}`);

  /** Stops the server with a signal; answers its exit code and what it logged. */
  async function stop(signal: "SIGTERM" | "SIGINT" | "SIGKILL" = "SIGTERM") {
    child.kill(signal);
    return { exitCode: await child.exited, log: await log };
  }
  return { ...summary, pid: child.pid, stop, [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")) };
}

type ServeSummary = {
  url: string;
  api: string;
  docs: string;
  signInUrl: string | null;
  dataDir: string;
  firstRun: { email: string; key: string } | null;
};

/** All of a stream of UTF-8. */
export function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

/** The first line of a stream, or all of it when it ends before; what follows is read and dropped. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  void drain(reader);
  return text.split("\n")[0] ?? "";
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
