import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { startErrorOf, type DataDirectory } from "../adapters/disk/data-directory.ts";
import { installationId } from "../adapters/disk/installation-id.ts";
import { shownDatabase } from "./config/database-options.ts";
import { hasPartialCopy } from "../adapters/storage/copy/partial-copy.ts";
import { removeSnapshot } from "../adapters/storage/sqlite/snapshot.ts";
import { openSqliteStorage } from "../adapters/storage/sqlite/sqlite-storage.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import { SteadyClock, systemClock, type Clock } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import { diskFaultOf } from "../platform/base/disk-fault.ts";
import { StartError } from "../platform/base/start-error.ts";
import { keepCopy } from "./backups.ts";
import type { Config } from "./config/config.ts";
import type { OpenedDatabase } from "./database.ts";
import { refuseLostData } from "./first-run.ts";

export type OpenedStorage = {
  storage: Storage;
  clock: SteadyClock;
  /** ID of this installation: 8 hex digits. */
  installation: string;
  /** Null: the embedded database. */
  database: OpenedDatabase | null;
};

/**
 * Opens the database that the configuration selects, and migrates it if necessary. `ownClock` replaces the system clock
 * and the time of the database. Throws `StartError`, and the reason of `stop` if that is aborted while a shared database
 * is not ready yet.
 */
export async function openStorage(
  config: Config,
  directory: DataDirectory,
  ownClock: Clock | null,
  log: Log,
  stop?: AbortSignal,
): Promise<OpenedStorage> {
  if (directory.wasOpen)
    log.warn(
      { dataDir: directory.path },
      "other users of this machine had access to the data directory; removed their access",
    );
  if (config.database !== null) return openShared(config, directory, ownClock, log, stop);
  const { databasePath, path } = directory;
  const clock = new SteadyClock(ownClock ?? systemClock);
  if (!existsSync(databasePath)) {
    if (hasPartialCopy(databasePath))
      throw new StartError(`A copy to the data directory ${path} is not complete.`, {
        hint: "Run the same `outreachd copy` again, which continues it, or choose another directory with --data DIR.",
      });
    refuseLostData(directory);
  }
  removeSnapshot(databasePath); // of a backup that was killed
  const storage = openSqliteStorage(databasePath, clock, config.phoneRegion, {
    beforeUpgrade: () => keepCopy(directory, clock, log),
    beforeCreation: () => refuseLostData(directory),
  });
  return { storage, clock, installation: installationId(path), database: null };
}

async function openShared(
  { database: options, phoneRegion }: Config,
  { databasePath, path }: DataDirectory,
  ownClock: Clock | null,
  log: Log,
  stop?: AbortSignal,
): Promise<OpenedStorage> {
  if (existsSync(databasePath))
    throw new StartError(`The data directory ${path} contains an embedded database, which --database would ignore.`, {
      hint: "Choose an empty directory with --data DIR for temporary files. To move the data, run `outreachd copy`.",
    });
  // Loaded only if needed: it is a large part of the program.
  const { openDatabase } = await import("./database.ts");
  const { removeLiveSnapshot } = await import("../adapters/storage/copy/live-snapshot.ts");
  removeLiveSnapshot(databasePath); // of a backup that was killed
  const database = await openDatabase(options!, phoneRegion, ownClock, log, stop).catch((error: unknown) => {
    if (stop?.aborted === true) log.info("stopped before the database was ready");
    throw error;
  });
  const installation = await database.storage.cluster.installationId(randomBytes(4).toString("hex"));
  return {
    storage: database.storage,
    clock: new SteadyClock(database.clock),
    installation,
    database,
  };
}

/** Throws why the server cannot start, if the database, the bucket, or the disk is the reason; other errors unchanged. */
export function explainedBy({ database }: Config, { path }: DataDirectory): (error: unknown) => Promise<never> {
  return async (error) => {
    const kind = diskFaultOf(error)?.kind ?? "database";
    if (database === null || !kind.startsWith("database")) throw startErrorOf(error, path);
    const { startErrorOf: ofDatabase } = await import("./database.ts");
    throw ofDatabase(error, shownDatabase(database.url));
  };
}
