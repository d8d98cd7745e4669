import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend, LocalApp } from "../../src/surfaces/cli/connection.ts";
import type { CommandContext, Signals } from "../../src/surfaces/cli/context.ts";
import { runCommandLine } from "../../src/surfaces/cli/program.ts";
import type { Config } from "../../src/app/config/config.ts";

type Api = (request: Request) => Response | Promise<Response>;
type Signal = "SIGINT" | "SIGTERM";

export type CommandLineOptions = {
  /** Answers the requests that reach the service in this process. */
  api?: Api;
  env?: Record<string, string>;
  app?: Partial<LocalApp>;
  backend?: Partial<Backend>;
  isInteractive?: boolean;
  /** Whether standard output is a terminal. */
  showsOutput?: boolean;
  /** What the person types when asked; without it, no person is there. */
  typed?: string;
};

/**
 * A command line over a service that a test plays itself, with an existing data directory in OUTREACHD_DATA.
 * Hold it with `await using`, which removes the directory.
 */
export async function createCommandLine(options: CommandLineOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-cli-"));
  await Bun.write(join(directory, "outreachd.db"), "");
  const calls: string[] = [];
  const configs: Config[] = [];
  const signals = createSignals();
  const app: LocalApp = {
    start: async () => void calls.push("start"),
    work: async () => void calls.push("work"),
    stop: async () => void calls.push("stop"),
    handle: async (request) => {
      calls.push(`${request.method} ${new URL(request.url).pathname}`);
      return await (options.api ?? noRoute)(request);
    },
    url: "http://127.0.0.1:8080",
    localKey: "local-key",
    firstRun: null,
    ...options.app,
  };
  const backend: Backend = {
    createApp: async (config) => {
      configs.push(config);
      return app;
    },
    readRunningServer: () => null,
    hasTables: async () => true,
    ...options.backend,
  };

  async function run(...args: string[]) {
    const output = { out: "", err: "" };
    const decoder = new TextDecoder();
    const terminal: CommandContext["terminal"] = {
      out: async (chunk) => void (output.out += typeof chunk === "string" ? chunk : decoder.decode(chunk)),
      err: (text) => void (output.err += text),
      ask: async (question) => {
        if (options.typed === undefined) return null;
        output.err += question;
        return options.typed;
      },
      isInteractive: options.isInteractive ?? false,
      showsOutput: options.showsOutput ?? false,
      columns: 100,
    };
    const env = { OUTREACHD_DATA: directory, ...options.env };
    const exitCode = await runCommandLine(args, { env, terminal, backend, signals });
    return { exitCode, ...output };
  }

  return {
    run,
    /** What the app was asked, in order. */
    calls,
    /** The configurations that an app was made with. */
    configs,
    signals,
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** A success of the API. */
export function success(data: unknown, status = 200): Response {
  return Response.json({ success: true, data }, { status });
}

/** One page that holds all users. */
export function userPage(users: readonly unknown[]): Response {
  return success({ users, total: users.length });
}

/** A refusal of the API. */
export function refused(status: number, code: string, message: string, details?: Record<string, unknown>): Response {
  return Response.json({ error: true, code, message, version: "2.0", details }, { status });
}

export const ada = {
  id: "u-ada",
  email: "ada@example.com",
  name: "Ada",
  role: "admin",
  timeZone: "UTC",
  createdAt: "2026-01-01T00:00:00.000Z",
};

function noRoute(request: Request): Response {
  return refused(404, "NOT_FOUND", `The test has no route for ${request.url}.`);
}

type PlayedSignals = Signals & {
  send(signal: Signal): void;
  hangUp(): void;
  advance(ms: number): void;
  exits: number[];
};

function createSignals(): PlayedSignals {
  const listeners = new Set<(signal: Signal) => void>();
  const hangUpListeners = new Set<() => void>();
  const exits: number[] = [];
  let now = 0;
  return {
    now: () => now,
    advance: (ms) => void (now += ms),
    listen(onSignal) {
      listeners.add(onSignal);
      return () => listeners.delete(onSignal);
    },
    listenForHangUp(onHangUp) {
      hangUpListeners.add(onHangUp);
      return () => hangUpListeners.delete(onHangUp);
    },
    hangUp: () => hangUpListeners.forEach((listener) => listener()),
    exit: (code) => void exits.push(code),
    send: (signal) => listeners.forEach((listener) => listener(signal)),
    exits,
  };
}
