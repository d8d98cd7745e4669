import { rm } from "node:fs/promises";
import type { AuditDetails } from "../platform/auth/audit/model.ts";
import type { AuditService } from "../platform/auth/audit/service.ts";
import { backupRoutes } from "../features/backup/routes.ts";
import { BackupService } from "../features/backup/service.ts";
import { createArchives } from "../adapters/blobs/archives.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { FilesPlace } from "../platform/blobs/place.ts";
import type { Config } from "./config/config.ts";
import type { DataDirectory } from "../adapters/disk/data-directory.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { Log } from "../platform/base/log.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";
import type { OpenedDatabase } from "./database.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import { migrations } from "../adapters/storage/sqlite/migrate.ts";
import { copyBeforeUpgrade } from "../adapters/storage/sqlite/upgrade-copy.ts";
import { version } from "../platform/base/version.ts";

export type BackupParts = {
  config: Config;
  directory: DataDirectory;
  /** Null: the embedded database. */
  database: OpenedDatabase | null;
  /** ID of this process. */
  nodeId: string;
  /** ID of this installation. */
  installation: string;
  files: FilesPlace;
  storage: Storage;
  audit: AuditService;
  clock: Clock;
  log: Log;
  metrics: Metrics | null;
};

/** Backups on request and on schedule. */
export function composeBackups(parts: BackupParts) {
  const { config, directory, database, nodeId, installation, files, storage, audit, clock, log, metrics } = parts;
  const { schedule, keep, place: configured } = config.backup;
  const { databasePath, backupsPath } = directory;
  const place = configured ?? { kind: "disk" as const, path: backupsPath };
  const archives = createArchives(place);
  const service = new BackupService({
    store: storage.backups,
    audit,
    archives,
    place,
    node: nodeId,
    installation,
    ownFolder: backupsPath,
    schedule,
    keep,
    version,
    databasePath,
    server: database?.server ?? null,
    files,
    clock,
    log,
  });
  if (metrics !== null) addBackupGauges(metrics, service);
  const chores: Chore[] = [];
  if (schedule !== null) chores.push({ name: "create a backup", pattern: schedule, run: () => service.runScheduled() });
  if (database !== null)
    chores.push(
      { name: "follow backups", pattern: "3-59/15 * * * * *", run: () => service.follow(), onEachNode: true },
      { name: "report interrupted backups", pattern: "10-59/15 * * * * *", run: () => service.reportInterrupted() },
    );
  return {
    chores,
    routes: () => backupRoutes(service),
    async start(): Promise<void> {
      await noteRestore(directory, audit).catch((error: unknown) =>
        log.error({ err: error }, "could not record in the audit log that a backup was restored"),
      );
      await service.reportInterrupted();
      await service.checkDestination();
    },
    flush: () => service.storePendingOutcomes(),
    stop: () => service.stop(),
  };
}

function addBackupGauges(metrics: Metrics, service: BackupService): void {
  const add = (name: string, help: string, read: () => number) => metrics.addGauge(name, help, () => [[{}, read()]]);
  add(
    "outreachd_backup_last_success_timestamp_seconds",
    "Start of the newest complete backup in Unix time; 0 if there is none.",
    () => (service.state.newestAt ?? 0) / 1000,
  );
  add(
    "outreachd_backup_last_failed",
    "1 if the last backup, of whichever node, failed. Without nodes: since the start.",
    () => Number(service.state.hasLastFailed),
  );
  add("outreachd_backup_scheduled", "1 if backups are created on a schedule.", () => Number(service.state.isScheduled));
}

/** The restored audit log does not contain the restore itself. */
async function noteRestore({ restoredPath }: DataDirectory, audit: AuditService): Promise<void> {
  const file = Bun.file(restoredPath);
  if (!(await file.exists())) return;
  const details = (await file.json()) as AuditDetails;
  await audit.note(null, { action: "backup.restored", workspaceId: null, via: "commandLine", details });
  await rm(restoredPath);
}

/** Copies the database before this version migrates it. */
export function keepCopy({ databasePath, backupsPath }: DataDirectory, clock: Clock, log: Log): void {
  const copy = copyBeforeUpgrade(databasePath, backupsPath, migrations, clock.now());
  if (copy !== null) log.info({ copy }, "copied the database before upgrading it");
}
