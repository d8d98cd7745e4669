import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { databaseName } from "../../adapters/disk/data-directory.ts";
import type { EmbeddedStorage, Storage } from "../../adapters/storage/storage.ts";
import type { Config } from "../../app/config/config.ts";
import type { DatabaseConfig } from "../../app/config/database-options.ts";
import { systemClock, type Clock } from "../../platform/base/clock.ts";
import { createLog } from "../../platform/base/log.ts";
import { requireData, requireTables } from "./connection.ts";
import type { CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";

// For commands that work on the storage itself, without the service.

type Use<S extends Storage> = (storage: S, clock: Clock) => Promise<void>;

/** Runs `use` on the database, if one is configured, otherwise on the data directory, which no server may be using. */
export async function withStorage(
  context: CommandContext,
  config: Config,
  flags: Record<string, unknown>,
  use: Use<Storage>,
): Promise<void> {
  const { database } = config;
  if (database === null) return await withEmbeddedStorage(config, use);
  refuseTwoPlaces(config, flags);
  await requireTables(database, context.backend);
  await withDatabase(database, config, use);
}

/** Runs `use` on the data directory, which no server may be using. */
export async function withEmbeddedStorage(config: Config, use: Use<EmbeddedStorage>): Promise<void> {
  const dataDir = resolve(config.dataDir);
  requireData(dataDir);
  const { holdDataDirectory } = await import("../../adapters/disk/data-directory.ts");
  const { openSqliteStorage } = await import("../../adapters/storage/sqlite/sqlite-storage.ts");
  const { keepCopy } = await import("../../app/backups.ts");
  const directory = holdDataDirectory(dataDir);
  try {
    const storage = openSqliteStorage(directory.databasePath, systemClock, config.phoneRegion, {
      beforeUpgrade: () => keepCopy(directory, systemClock, createLog(config.logLevel)),
    });
    try {
      await use(storage, systemClock);
    } finally {
      await storage.close();
    }
  } finally {
    directory.release();
  }
}

async function withDatabase(
  database: DatabaseConfig,
  { phoneRegion, logLevel }: Config,
  use: Use<Storage>,
): Promise<void> {
  const { openDatabase } = await import("../../app/database.ts");
  const { storage, clock } = await openDatabase(database, phoneRegion, null, createLog(logLevel));
  try {
    await use(storage, clock);
  } finally {
    await storage.close();
  }
}

/** The command would change one of them, and it would be easy to overlook which. */
function refuseTwoPlaces(config: Config, flags: Record<string, unknown>): void {
  if (flags["data"] !== undefined && flags["database"] !== undefined)
    throw new CommandError(exitCodes.usage, "Set --data or --database, not both: each says where the data is.");
  refuseEmbeddedDatabase(config);
}

/** Throws `CommandError` if the data directory contains a database, although the data is elsewhere. */
export function refuseEmbeddedDatabase({ dataDir }: Config): void {
  if (existsSync(join(dataDir, databaseName)))
    throw new CommandError(
      exitCodes.usage,
      `The data directory ${resolve(dataDir)} contains an embedded database, which --database would ignore.`,
      { hint: "Set --data to another directory, or remove the option database." },
    );
}
