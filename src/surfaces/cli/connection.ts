import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../app/config/config.ts";
import { shownDatabase, type DatabaseConfig } from "../../app/config/database-options.ts";
import { databaseName } from "../../adapters/disk/data-directory.ts";
import { keyPrefixes } from "../../platform/base/secret-text.ts";
import type { RemoteServer } from "./client-options.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { firstRunNotice, laterSignInNotice } from "./first-run.ts";
import { bypassProxy } from "./proxy.ts";
import { reasonOf } from "./reason.ts";

/** The service inside this process, as the command line uses it. */
export type LocalApp = {
  /** Listens and runs jobs. */
  start(): Promise<void>;
  /** Runs jobs without listening. */
  work(): Promise<void>;
  handle(request: Request): Promise<Response>;
  stop(): Promise<void>;
  /** URL that it listens on, after `start`. */
  readonly url: string;
  /** A global key that is valid as long as this process runs. */
  readonly localKey: string;
  /** The admin created by this start, with its API key, which is shown only once; null on later starts. */
  readonly firstRun: { email: string; key: string; signInPath: string } | null;
};

/** A running server that has the data directory locked. `database`: see `shownDatabase`; null: the embedded one. */
export type RunningServer = { pid: number; url: string; localKey: string; database?: string | null };

/** The implementation behind the commands, loaded only by those that need it. */
export type Backend = {
  /** Throws the reason of `stop` if that is aborted while a shared database is not ready yet. */
  createApp(config: Config, stop?: AbortSignal): Promise<LocalApp>;
  readRunningServer(dataDir: string): Promise<RunningServer | null> | RunningServer | null;
  /** Whether a database has the tables of this program. Throws `StartError` if it can't be used. */
  hasTables(database: DatabaseConfig): Promise<boolean>;
};

/** A connection to the HTTP API, wherever it runs. */
export type Connection = {
  /**
   * remote: a server on another machine; running: the server of our data directory; own: the service in this process.
   */
  kind: "remote" | "running" | "own";
  /** Null for the service in this process, which is not reachable from outside. */
  url: string | null;
  /** Whether the key is global; requests must then name the user to act as. */
  namesUser: boolean;
  /** The admin that this connection created because the data directory was empty, with the key, which is shown only once. */
  firstRun: { email: string; key: string } | null;
  /** Sends a request with the key. Throws `CommandError` if the server is unreachable; error responses are returned. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

type ConnectOptions = {
  config: Config;
  remote: RemoteServer | null;
  backend: Backend;
  /** Whether the command may create a data directory. */
  mayCreateData: boolean;
  /** Whether the service in this process runs jobs that other nodes could run as well. */
  runsJobs: boolean;
  /** Whether the command leaves files in the data directory, even if its data is elsewhere. */
  keepsDataDir: boolean;
  /** Whether the command is long-running, so that other commands need access meanwhile. */
  isLong: boolean;
  /** Whether the command requires a running server; this process then does not lock the data directory. */
  needsServer: boolean;
  /** Prints a notice besides the command's output. */
  tell: (text: string) => void;
  /** Whether the command itself shows the key of the first admin. */
  showsFirstKey: boolean;
};

/**
 * Connects to the data: through the remote server if one is set, otherwise through the server that has locked the data
 * directory, otherwise through the service in this process. Only one process can lock the directory, so the last two
 * exclude each other. With a database, the service in this process is one more node.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { config, remote, backend, mayCreateData, needsServer } = options;
  if (remote !== null) return toRemote(remote);
  const running = await backend.readRunningServer(config.dataDir);
  if (running !== null && usesSameDatabase(running, config)) return toRunning(running);
  if (needsServer) throw noServer(config.dataDir);
  if (config.database === null) {
    // Only checks, so that a wrong --data does not create a data directory.
    if (!mayCreateData) requireData(config.dataDir);
    return await toOwn(options);
  }
  if (!mayCreateData) await requireTables(config.database, backend);
  return await toOwnNode({ ...options, config: { ...config, database: config.database } });
}

/** Without a database in its own settings, a command uses whatever the server of its data directory uses. */
function usesSameDatabase({ database = null }: RunningServer, config: Config): boolean {
  return config.database === null || database === shownDatabase(config.database.url);
}

function toRemote({ url, apiKey }: RemoteServer): Connection {
  const hint = "Check the URL (--url or OUTREACHD_URL) and whether the server is running.";
  const send = (path: string, init?: RequestInit) => reach(url, hint, () => fetch(url + path, withKey(init, apiKey)));
  return {
    kind: "remote",
    url,
    namesUser: !apiKey.startsWith(keyPrefixes.user),
    firstRun: null,
    fetch: send,
    close: async () => {},
  };
}

/** Connects to the server of a data directory on this machine. */
export function toRunning({ pid, url, localKey }: RunningServer): Connection {
  bypassProxy(url);
  const hint = `Process ${pid} is using the data directory. If it is starting or stopping, try again in a moment.`;
  const send = (path: string, init?: RequestInit) => reach(url, hint, () => fetch(url + path, withKey(init, localKey)));
  return { kind: "running", url, namesUser: true, firstRun: null, fetch: send, close: async () => {} };
}

async function toOwn({ config, backend, isLong, tell, showsFirstKey }: ConnectOptions): Promise<Connection> {
  // The log lines of a starting and stopping server would bury the output of a command.
  const quiet = config.logLevel === "info" ? ({ ...config, logLevel: "warn" } as const) : config;
  const app = await backend.createApp(isLong ? { ...quiet, listen: privateAddress } : quiet);
  try {
    if (app.firstRun !== null && !showsFirstKey)
      tell(`${firstRunNotice(app.firstRun)}\n${laterSignInNotice(app.firstRun.email)}`);
    await (isLong ? app.start() : app.work());
  } catch (error) {
    await app.stop();
    throw error;
  }
  return {
    kind: "own",
    url: null,
    namesUser: true,
    firstRun: app.firstRun,
    fetch: (path, init) => app.handle(new Request(`http://localhost${path}`, withKey(init, app.localKey))),
    close: () => app.stop(),
  };
}

type OwnNode = ConnectOptions & { config: Config & { database: DatabaseConfig } };

/** Files in a bucket need no data directory, except for temporary copies, which no other node can be using. */
async function toOwnNode(options: OwnNode): Promise<Connection> {
  const { config, runsJobs, keepsDataDir } = options;
  const database = runsJobs ? config.database : ({ ...config.database, role: "api" } as const);
  if (config.files.place === null || keepsDataDir) return await toOwn({ ...options, config: { ...config, database } });
  const dataDir = await mkdtemp(join(tmpdir(), "outreachd-"));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const connection = await toOwn({ ...options, config: { ...config, database, dataDir } });
    const close = async () => {
      try {
        await connection.close();
      } finally {
        await remove();
      }
    };
    return { ...connection, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** For commands on this machine, which find the server by its data directory. Clients cannot select it. */
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
  return new CommandError(exitCodes.failed, `No server is running on the data directory ${dataDir}.`, {
    hint: "Start it with `outreachd serve`, or set --data DIR or OUTREACHD_DATA to the directory of a running server.",
  });
}

/** Throws `CommandError` if the directory contains no data. */
export function requireData(dataDir: string): void {
  if (!existsSync(join(dataDir, databaseName))) throw noData(dataDir);
}

function noData(dataDir: string): CommandError {
  return new CommandError(exitCodes.failed, `No outreachd data found in ${dataDir}.`, {
    hint:
      "Start the server with `outreachd serve`, or create the first user with `outreachd user create EMAIL`. " +
      "If the data is elsewhere, set --data DIR or OUTREACHD_DATA.",
  });
}

/** Throws `CommandError` if the database has no tables, so that a wrong --database is not filled with some. */
export async function requireTables(database: DatabaseConfig, backend: Backend): Promise<void> {
  if (await backend.hasTables(database)) return;
  throw new CommandError(exitCodes.failed, `No outreachd data found in ${shownDatabase(database.url)}.`, {
    hint:
      "Start a node with `outreachd serve`, or create the first user with `outreachd user create EMAIL`. " +
      "If the data is elsewhere, set --database URL or OUTREACHD_DATABASE.",
  });
}
