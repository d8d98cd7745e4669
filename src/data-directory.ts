import { Database } from "bun:sqlite";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { StartError } from "./start-error.ts";

/** How other commands of this machine reach the server that holds a data directory. */
export type RunningServer = { pid: number; url: string; localKey: string };

/** The data directory while this process holds it. */
export type DataDirectory = {
  path: string;
  databasePath: string;
  blobsPath: string;
  /** Lets other commands of the same operating system user find the server. */
  announce(server: RunningServer): void;
  /** Lets go of it. Safe to call twice. */
  release(): void;
};

export const databaseName = "outreachd.db";
const lockName = "lock.db";
const serverName = "server.json";
/** Who only asks whether a server runs takes the lock for a moment; that must not keep one from starting. */
const probeMs = 100;

/** A lock that nobody refers to would be closed, and so let go, by the garbage collector. */
const held = new Set<Database>();

/**
 * Makes the directory if need be and takes it for this process alone. Throws `StartError` when another process holds
 * it or it can't be written to.
 */
export function holdDataDirectory(dir: string): DataDirectory {
  const path = resolve(dir);
  const serverFile = join(path, serverName);
  makeWritable(path);
  const lock = lockOf(path, probeMs) ?? refuseHeld(path);
  rmSync(serverFile, { force: true }); // of a process that was killed
  held.add(lock);
  return {
    path,
    databasePath: join(path, databaseName),
    blobsPath: join(path, "blobs"),
    announce(server) {
      // Complete at once or not at all for readers, and readable by nobody else: it holds a key.
      writeFileSync(`${serverFile}.new`, JSON.stringify(server), { mode: 0o600 });
      renameSync(`${serverFile}.new`, serverFile);
    },
    release() {
      if (!held.delete(lock)) return;
      rmSync(serverFile, { force: true });
      lock.close();
    },
  };
}

/** The server that holds the directory at this moment and can be reached, or null. */
export function readRunningServer(dir: string): RunningServer | null {
  const path = resolve(dir);
  const server = readServerFile(path);
  if (server === null) return null;
  const lock = lockOf(path, 0);
  lock?.close();
  return lock === null ? server : null;
}

/**
 * The lock is an open exclusive transaction on a small database of its own: the operating system ends it together with
 * the process, however that ends, so no stale lock is ever left behind. Null when another process has it.
 */
function lockOf(path: string, waitMs: number): Database | null {
  let lock: Database | null = null;
  try {
    lock = new Database(join(path, lockName), { create: true, readwrite: true });
    lock.run(`PRAGMA busy_timeout = ${waitMs}`);
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") return null;
    throw new StartError(`The data directory ${path} can't be used: ${(error as Error).message}.`, {
      hint: "Check its owner, its permissions and the free space of its disk.",
      cause: error,
    });
  }
}

function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StartError(`The data directory ${path} can't be written to: ${(cause as Error).message}.`, {
      hint: "Choose another with --data DIR (or OUTREACHD_DATA), or change its owner or permissions.",
      cause,
    });
  }
}

function refuseHeld(path: string): never {
  const holder = readServerFile(path);
  const who = holder === null ? "Another outreachd" : `Another outreachd (process ${holder.pid}, ${holder.url})`;
  throw new StartError(`${who} holds the data directory ${path}.`, {
    hint: "Stop it first, or choose another directory with --data DIR.",
  });
}

function readServerFile(path: string): RunningServer | null {
  try {
    return JSON.parse(readFileSync(join(path, serverName), "utf8")) as RunningServer;
  } catch {
    return null;
  }
}
