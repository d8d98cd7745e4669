import { join } from "node:path";
import { databaseName } from "../adapters/disk/data-directory.ts";
import { openSqliteStorage } from "../adapters/storage/sqlite/sqlite-storage.ts";
import type { AuditDetails } from "../platform/auth/audit/model.ts";
import { AuditService } from "../platform/auth/audit/service.ts";
import { systemClock } from "../platform/base/clock.ts";
import { createLog } from "../platform/base/log.ts";
import type { FilesPlace } from "../platform/blobs/place.ts";
import { copyInstallation, type CopyProgress } from "./copy.ts";
import type { Config } from "./config/config.ts";
import { shownDatabase, type DatabaseConfig } from "./config/database-options.ts";
import { startErrorOf, usableConnection } from "./database.ts";

/** How a database names the source of what is restored to it. */
const backupOf = "the backup of ";

/** A backup that was unpacked to a folder, as a data directory. */
export type UnpackedBackup = { path: string; createdAt: string; note: AuditDetails };

/** Throws `StartError` unless the database is empty, or contains only what an interrupted restore has left. */
export async function requireEmpty({ url, prepare }: DatabaseConfig): Promise<void> {
  await isUnfinished(url, prepare);
}

async function isUnfinished(url: string, prepare: boolean): Promise<boolean> {
  const { hasUnfinishedRestore } = await import("../adapters/storage/copy/unfinished-restore.ts");
  const shown = shownDatabase(url);
  return await hasUnfinishedRestore(url, shown, backupOf, await usableConnection(url, prepare)).catch((error) => {
    throw startErrorOf(error, shown);
  });
}

/**
 * Copies the rows of a backup to an empty database. Its files must be in `files` already. A backup of an earlier version is
 * upgraded where it is. Throws `StartError`.
 */
export async function restoreToDatabase(
  { path, createdAt, note }: UnpackedBackup,
  config: Config,
  { url, prepare }: DatabaseConfig,
  files: FilesPlace,
  onProgress: (progress: CopyProgress) => Promise<void>,
): Promise<void> {
  await upgrade(path, note, config);
  await copyInstallation(
    {
      from: { kind: "directory", path, files },
      to: { kind: "postgres", url, prepare, files },
      isReplaced: await isUnfinished(url, prepare),
      source: backupOf + createdAt,
    },
    onProgress,
  );
}

/** The restored audit log does not contain the restore itself. */
async function upgrade(path: string, details: AuditDetails, config: Config): Promise<void> {
  const storage = openSqliteStorage(join(path, databaseName), systemClock, config.phoneRegion);
  try {
    const audit = new AuditService(storage.audit, systemClock, 0, createLog(config.logLevel));
    await audit.note(null, { action: "backup.restored", workspaceId: null, via: "commandLine", details });
  } finally {
    await storage.close();
  }
}
