import { Database } from "bun:sqlite";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import { restrictAccess } from "./private-files.ts";
import { StartError } from "../../platform/base/start-error.ts";

/** How other commands of this machine reach the server that holds a data directory. */
export type RunningServer = {
  pid: number;
  url: string;
  localKey: string;
  /** Its `settingsPrint`, made with its key. */
  settings: string;
};

/** The data directory while this process holds it. */
export type DataDirectory = {
  path: string;
  databasePath: string;
  blobsPath: string;
  backupsPath: string;
  /** What a restore leaves for the audit log of what it restored. */
  restoredPath: string;
  /** Whether other users of this machine had access to the directory until now. */
  wasOpen: boolean;
  /** Lets other commands of the same operating system user find the server. */
  announce(server: RunningServer): void;
  /** Lets go of it. Safe to call twice. */
  release(): void;
};

export const databaseName = "outreachd.db";
const lockName = "lock.db";
const ownFiles = [lockName, databaseName, `${databaseName}-wal`, `${databaseName}-shm`];
export const blobsName = "blobs";
export const backupsName = "backups";
const serverName = "server.json";
export const restoredName = "restored.json";
/** Lies there while a restore swaps the data; it survives a crash in the middle of that. */
export const restoreMark = "restore.unfinished";
/** Who only asks whether a server runs takes the lock for a moment; that must not keep one from starting. */
const probeMs = 100;

/** A lock that nobody refers to would be closed, and so let go, by the garbage collector. */
const held = new Set<Database>();

/**
 * Makes the directory if need be and takes it for this process alone. Throws `StartError` when another process holds
 * it, it can't be written to, or a restore was cut off in it (unless `mayBeCutOff`).
 */
export function holdDataDirectory(dir: string, { mayBeCutOff = false } = {}): DataDirectory {
  const path = resolve(dir);
  const serverFile = join(path, serverName);
  makeWritable(path);
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
    backupsPath: join(path, backupsName),
    restoredPath: join(path, restoredName),
    wasOpen,
    announce(server) {
      // Complete at once or not at all for readers, and readable by nobody else: it holds a key.
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
    removeIfPossible(serverFile); // without the lock nobody believes it
    lock.close();
  }
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
    lock.run("PRAGMA user_version = 1"); // never committed: fails where the file was opened for reading alone, unlocked
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") return null;
    refuseUnusable(error, path);
  }
}

function refuseUnusable(error: unknown, path: string): never {
  if (diskFaultOf(error) !== null) throw startErrorOf(error, path);
  throw new StartError(`The data directory ${path} can't be used: ${(error as Error).message}.`, {
    hint: "Check its owner and its permissions, or choose another directory with --data DIR (or OUTREACHD_DATA).",
    cause: error,
  });
}

/** A fault of the disk as a reason not to start; another error is answered as it is. */
export function startErrorOf(error: unknown, path: string): unknown {
  const fault = diskFaultOf(error);
  if (error instanceof StartError || fault === null) return error;
  return new StartError(`The data directory ${path} can't be used: ${fault.words} (${(error as Error).message}).`, {
    hint: `${fault.hint} Or choose another directory with --data DIR (or OUTREACHD_DATA).`,
    cause: error,
  });
}

function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
    for (const name of [...ownFiles, blobsName]) requireWritable(join(path, name));
  } catch (cause) {
    if (diskFaultOf(cause)?.kind === "full") throw startErrorOf(cause, path);
    throw new StartError(`The data directory ${path} can't be written to: ${(cause as Error).message}.`, {
      hint: "Choose another with --data DIR (or OUTREACHD_DATA), or change owner, permissions or how its disk is mounted.",
      cause,
    });
  }
}

/** Returns whether the directory was open to others. Throws `StartError` if they keep access to what is stored in it. */
function closeToOthers(path: string): boolean {
  try {
    return restrictAccess(path, [...ownFiles, serverName]);
  } catch (cause) {
    throw new StartError(
      `Other users of this machine can read the data directory ${path}: ${(cause as Error).message}.`,
      {
        hint: `Close it with \`chmod -R go= ${path}\` as its owner, or choose another directory with --data DIR (or OUTREACHD_DATA).`,
        cause,
      },
    );
  }
}

function refuseCutOff(path: string): void {
  if (!existsSync(join(path, restoreMark))) return;
  throw new StartError(`A restore was cut off in the data directory ${path}, so its data is not whole.`, {
    hint: "Run `outreachd restore FILE --replace` again. The data of before is in its folders before-restore-….",
  });
}

// SQLite opens a file that it may not write for reading alone, and leaves files behind that are read-only as well.
function requireWritable(file: string): void {
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
}

/** For files that nobody goes by: a disk that has become read-only must not hide why, or keep us from ending. */
function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next start removes it or tells why it can't.
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
