import { Database } from "bun:sqlite";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import { restrictAccess } from "./private-files.ts";
import { StartError } from "../../platform/base/start-error.ts";

/** How other commands on this machine reach the server of a data directory. */
export type RunningServer = {
  pid: number;
  url: string;
  localKey: string;
  /** Its `settingsPrint`, keyed with its API key. */
  settings: string;
  /** The database that it shares with other nodes, without its password; null: the embedded one in the directory. */
  database?: string | null;
};

/** The data directory while this process has it locked. */
export type DataDirectory = {
  path: string;
  databasePath: string;
  blobsPath: string;
  /** For local copies of files that are stored elsewhere, and for files of requests. */
  scratchPath: string;
  backupsPath: string;
  /** Left by a restore for the audit log of the restored data. */
  restoredPath: string;
  /** Whether other users of this machine had access to the directory before. */
  wasOpen: boolean;
  /** Lets other commands of the same operating system user find the server. */
  announce(server: RunningServer): void;
  /** Releases the lock, and removes the directory if `holdDataDirectory` created it and nothing was stored in it. Safe to call twice. */
  release(): void;
};

export const databaseName = "outreachd.db";
const lockName = "lock.db";
const ownFiles = [lockName, databaseName, `${databaseName}-wal`, `${databaseName}-shm`];
export const blobsName = "blobs";
const scratchName = "scratch";
export const backupsName = "backups";
const serverName = "server.json";
export const restoredName = "restored.json";
/** Exists while a restore swaps the data, and survives a crash in the middle of that. */
export const restoreMark = "restore.unfinished";
/** A check for a running server takes the lock briefly, which must not keep a server from starting. */
const probeMs = 100;

/** The garbage collector would close an unreferenced lock and thereby release it. */
const held = new Set<Database>();

/**
 * Creates the directory if necessary and locks it for this process. Throws `StartError` if another process has locked
 * it, it is not writable, or a restore was interrupted in it (unless `mayBeCutOff`).
 */
export function holdDataDirectory(dir: string, { mayBeCutOff = false } = {}): DataDirectory {
  const path = resolve(dir);
  const serverFile = join(path, serverName);
  const created = makeWritable(path);
  const wasOpen = closeToOthers(path);
  if (!mayBeCutOff) refuseCutOff(path);
  const lock = lockOf(path, probeMs) ?? refuseHeld(path);
  held.add(lock);
  try {
    rmSync(serverFile, { force: true }); // of a process that was killed
  } catch (error) {
    release();
    refuseUnusable(error, path);
  }
  return {
    path,
    databasePath: join(path, databaseName),
    blobsPath: join(path, blobsName),
    scratchPath: join(path, scratchName),
    backupsPath: join(path, backupsName),
    restoredPath: join(path, restoredName),
    wasOpen,
    announce(server) {
      // Written atomically and readable only by its owner, because it contains a key.
      const unfinished = `${serverFile}.new`;
      try {
        writeFileSync(unfinished, JSON.stringify(server), { mode: 0o600 });
        renameSync(unfinished, serverFile);
      } catch (error) {
        removeIfPossible(unfinished);
        refuseUnusable(error, path);
      }
    },
    release,
  };

  function release(): void {
    if (!held.delete(lock)) return;
    removeIfPossible(serverFile); // ignored without the lock
    if (created !== null) removeUnused(path, created);
    lock.close();
  }
}

/** Returns the server that has locked the directory, if it is reachable, or null. */
export function readRunningServer(dir: string): RunningServer | null {
  const path = resolve(dir);
  const server = readServerFile(path);
  if (server === null) return null;
  const lock = lockOf(path, 0);
  lock?.close();
  return lock === null ? server : null;
}

/**
 * The lock is an open exclusive transaction on a small separate database: the operating system ends it together with
 * the process, however that ends, so no stale lock remains. Returns null if another process has the lock.
 */
function lockOf(path: string, waitMs: number): Database | null {
  let lock: Database | null = null;
  try {
    lock = new Database(join(path, lockName), { create: true, readwrite: true });
    lock.run(`PRAGMA busy_timeout = ${waitMs}`);
    lock.run("BEGIN EXCLUSIVE");
    lock.run("PRAGMA user_version = 1"); // never committed; fails if the file was opened read-only, without a lock
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") return null;
    refuseUnusable(error, path);
  }
}

function refuseUnusable(error: unknown, path: string): never {
  if (diskFaultOf(error) !== null) throw startErrorOf(error, path);
  throw new StartError(`Cannot use the data directory ${path}: ${(error as Error).message}.`, {
    hint: "Check its owner and its permissions, or choose another directory with --data DIR (or OUTREACHD_DATA).",
    cause: error,
  });
}

/** Converts a disk fault into a reason not to start; returns other errors unchanged. */
export function startErrorOf(error: unknown, path: string): unknown {
  const fault = diskFaultOf(error);
  if (error instanceof StartError || fault === null) return error;
  return new StartError(`Cannot use the data directory ${path}: ${fault.words} (${(error as Error).message}).`, {
    hint: `${fault.hint} Or choose another directory with --data DIR (or OUTREACHD_DATA).`,
    cause: error,
  });
}

/** Returns the topmost folder that it had to create for the directory; null if the directory existed. */
function makeWritable(path: string): string | null {
  try {
    const created = mkdirSync(path, { recursive: true, mode: 0o700 }) ?? null;
    accessSync(path, constants.W_OK | constants.X_OK);
    for (const name of [...ownFiles, blobsName]) requireWritable(join(path, name));
    return created;
  } catch (cause) {
    if (diskFaultOf(cause)?.kind === "full") throw startErrorOf(cause, path);
    throw new StartError(`The data directory ${path} is not writable: ${(cause as Error).message}.`, {
      hint: "Choose another directory with --data DIR (or OUTREACHD_DATA), or change its owner, its permissions, or how its disk is mounted.",
      cause,
    });
  }
}

/**
 * Returns whether other users had access to the directory. Throws `StartError` if their access to the stored data
 * cannot be removed.
 */
function closeToOthers(path: string): boolean {
  try {
    return restrictAccess(path, [...ownFiles, serverName]);
  } catch (cause) {
    throw new StartError(
      `Other users of this machine can read the data directory ${path}: ${(cause as Error).message}.`,
      {
        hint: `Run \`chmod -R go= ${path}\` as its owner, or choose another directory with --data DIR (or OUTREACHD_DATA).`,
        cause,
      },
    );
  }
}

function refuseCutOff(path: string): void {
  if (!existsSync(join(path, restoreMark))) return;
  throw new StartError(`A restore was interrupted in the data directory ${path}, so its data is incomplete.`, {
    hint: "Run `outreachd restore FILE --replace` again. The previous data is in its folders before-restore-….",
  });
}

// SQLite opens a file without write permission as read-only, and leaves files behind that are read-only too.
function requireWritable(file: string): void {
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
}

/** A command on a shared database needs no directory, and a start that fails has stored nothing. */
function removeUnused(path: string, created: string): void {
  try {
    if (readdirSync(path).some((name) => !name.startsWith(lockName))) return;
    for (const name of readdirSync(path)) rmSync(join(path, name));
    for (let folder = path; folder.startsWith(created); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // Something was stored meanwhile, next to it or in it.
  }
}

/**
 * For files that are ignored anyway: a disk that has become read-only must not hide the actual error, or keep us from
 * stopping.
 */
function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next start removes it, or says why it cannot.
  }
}

function refuseHeld(path: string): never {
  const holder = readServerFile(path);
  const who = holder === null ? "Another outreachd" : `Another outreachd (process ${holder.pid}, ${holder.url})`;
  throw new StartError(`${who} is using the data directory ${path}.`, {
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
