import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../app/config/config.ts";
import { databaseName } from "../../adapters/disk/data-directory.ts";
import { keyPrefixes } from "../../platform/base/secret-text.ts";
import type { RemoteServer } from "./client-options.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { firstRunNotice } from "./first-run.ts";
import { bypassProxy } from "./proxy.ts";
import { reasonOf } from "./reason.ts";

/** The service inside this process, as far as the command line needs it. */
export type LocalApp = {
  /** Listens and runs jobs. */
  start(): Promise<void>;
  /** Runs jobs without listening. */
  work(): Promise<void>;
  handle(request: Request): Promise<Response>;
  stop(): Promise<void>;
  /** Where it listens, after `start`. */
  readonly url: string;
  /** A global key that lives as long as this process. */
  readonly localKey: string;
  /** The admin that this start made, with the key that is shown only now; null on every later start. */
  readonly firstRun: { email: string; key: string; signInPath: string } | null;
};

/** A server that holds the data directory right now. */
export type RunningServer = { pid: number; url: string; localKey: string };

/** What stands behind the commands; loaded only by those that need it. */
export type Backend = {
  createApp(config: Config): Promise<LocalApp>;
  readRunningServer(dataDir: string): Promise<RunningServer | null> | RunningServer | null;
};

/** A way to the HTTP API, wherever it runs. */
export type Connection = {
  /** remote: another machine's server, running: a server on our data directory, own: the service in this process. */
  kind: "remote" | "running" | "own";
  /** Null for the service in this process: nobody else can reach it. */
  url: string | null;
  /** Whether the key is a global one, with which a request has to name the user that it acts for. */
  namesUser: boolean;
  /** Sends a request with the key. Throws `CommandError` when the server can't be reached; refusals are answers. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

type ConnectOptions = {
  config: Config;
  remote: RemoteServer | null;
  backend: Backend;
  /** Whether the command may begin a new data directory. */
  mayCreateData: boolean;
  /** Whether the command runs for as long as somebody uses it, so that others have to be able to come in meanwhile. */
  isLong: boolean;
  /** Whether only a server that runs will do, and the data directory is not to be held by this process. */
  needsServer: boolean;
  /** Takes what must be said beside the command's answer. */
  tell: (text: string) => void;
};

/**
 * Chooses the way to the data: the remote server if one is named, else the server that holds the data directory, else
 * the service in this process. Only one process may hold the directory, so the last two exclude each other.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { config, remote, backend, mayCreateData, needsServer } = options;
  if (remote !== null) return toRemote(remote);
  const running = await backend.readRunningServer(config.dataDir);
  if (running !== null) return toRunning(running);
  if (needsServer) throw noServer(config.dataDir);
  // Only looked for, so that a wrong --data does not begin a new data directory.
  if (!mayCreateData) requireData(config.dataDir);
  return await toOwn(options);
}

function toRemote({ url, apiKey }: RemoteServer): Connection {
  const hint = "Check the URL (--url or OUTREACHD_URL) and that the server runs.";
  const send = (path: string, init?: RequestInit) => reach(url, hint, () => fetch(url + path, withKey(init, apiKey)));
  return { kind: "remote", url, namesUser: !apiKey.startsWith(keyPrefixes.user), fetch: send, close: async () => {} };
}

/** To a server that holds a data directory of this machine. */
export function toRunning({ pid, url, localKey }: RunningServer): Connection {
  bypassProxy(url);
  const hint = `Process ${pid} holds the data directory. If it is just starting or stopping, try again in a moment.`;
  const send = (path: string, init?: RequestInit) => reach(url, hint, () => fetch(url + path, withKey(init, localKey)));
  return { kind: "running", url, namesUser: true, fetch: send, close: async () => {} };
}

async function toOwn({ config, backend, isLong, tell }: ConnectOptions): Promise<Connection> {
  // The usual lines of a starting and stopping server would drown the answer of a command.
  const quiet = config.logLevel === "info" ? ({ ...config, logLevel: "warn" } as const) : config;
  const app = await backend.createApp(isLong ? { ...quiet, listen: privateAddress } : quiet);
  try {
    if (app.firstRun !== null) tell(firstRunNotice(app.firstRun));
    await (isLong ? app.start() : app.work());
  } catch (error) {
    await app.stop();
    throw error;
  }
  return {
    kind: "own",
    url: null,
    namesUser: true,
    fetch: (path, init) => app.handle(new Request(`http://localhost${path}`, withKey(init, app.localKey))),
    close: () => app.stop(),
  };
}

/** For the commands of this machine, which find it by the data directory; it can't be taken. */
const privateAddress = { host: "127.0.0.1", port: 0 };

function withKey(init: RequestInit = {}, apiKey: string): RequestInit {
  const headers = new Headers(init.headers);
  headers.set("x-api-key", apiKey);
  return { ...init, headers };
}

async function reach(url: string, hint: string, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "AbortError") throw cause;
    throw new CommandError(exitCodes.unreachable, `Could not reach the server at ${url}: ${reasonOf(cause)}`, {
      hint,
      cause,
    });
  }
}

function noServer(dataDir: string): CommandError {
  return new CommandError(exitCodes.failed, `No server runs on the data directory ${dataDir}.`, {
    hint: "Start it with `outreachd serve`, or name the directory of one that runs with --data DIR or OUTREACHD_DATA.",
  });
}

/** Throws `CommandError` if there is no data in the directory. */
export function requireData(dataDir: string): void {
  if (!existsSync(join(dataDir, databaseName))) throw noData(dataDir);
}

function noData(dataDir: string): CommandError {
  return new CommandError(exitCodes.failed, `There is no data of outreachd in ${dataDir}.`, {
    hint:
      "Start the server with `outreachd serve`, or make the first user with `outreachd user create EMAIL`. " +
      "If the data lies elsewhere, name it with --data DIR or OUTREACHD_DATA.",
  });
}
