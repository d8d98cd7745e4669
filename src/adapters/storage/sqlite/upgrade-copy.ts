import { Database } from "bun:sqlite";
import { constants, copyFileSync, existsSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeOwnedFolder, syncPath } from "../../disk/owned-folder.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { refuseUnknown } from "../applied-migrations.ts";
import { appliedMigrations } from "./migrate.ts";
import type { Migration } from "../migrations.macro.ts";

const keep = 3;
/** Needed by the migration itself, which first writes its changes to the log. */
const sparePart = 0.25;
const nameForm = /^before-upgrade-.+\.db$/;

/**
 * Copies a database that the migrations in `list` will change to `folder`, durably. Returns the path of the copy; null if
 * no migration is missing. The database must not be open elsewhere. Throws `StartError` if it cannot be copied.
 */
export function copyBeforeUpgrade(
  path: string,
  folder: string,
  list: readonly Migration[],
  now: number,
): string | null {
  const upgrade = upgradeOf(path, list);
  if (upgrade === null) return null;
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, "");
  const target = join(folder, `before-upgrade-${upgrade.from}-to-${upgrade.to}-${time}.db`);
  try {
    makeOwnedFolder(folder);
    refuseNoRoom(path, folder);
    // As a clone that shares its blocks, if the file system supports it: immediate, and without using space.
    copyFileSync(path, `${target}.part`, constants.COPYFILE_FICLONE);
    syncPath(`${target}.part`, folder);
    renameSync(`${target}.part`, target);
    syncPath(folder);
    const older = readdirSync(folder).filter((name) => nameForm.test(name) && join(folder, name) !== target);
    const byTime = older.toSorted((a, b) => timeIn(b).localeCompare(timeIn(a)));
    for (const name of byTime.slice(keep - 1)) rmSync(join(folder, name), { force: true });
    return target;
  } catch (cause) {
    removeIfPossible(`${target}.part`);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(`The database must be upgraded, but could not be copied to ${folder} before: ${reason}.`, {
      hint: "Nothing was changed. Free space or repair the directory, then start again; or start the previous version.",
      cause,
    });
  }
}

/** Numbers of the newest migrations before and after. Also moves the log into the file, so that the file is complete. */
function upgradeOf(path: string, list: readonly Migration[]): { from: string; to: string } | null {
  if (!existsSync(path) || statSync(path).size === 0) return null;
  const database = new Database(path, { readwrite: true, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 5000");
    if (database.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() === null) return null;
    const applied = appliedMigrations(database);
    refuseUnknown(applied, list);
    if (applied.length === list.length) return null;
    database.run("PRAGMA synchronous = FULL");
    const checkpoint = database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (checkpoint?.busy !== 0)
      throw new StartError(`Another program has the database ${path} open, so it can't be upgraded.`, {
        hint: "Close it, for example a shell of sqlite3, and start again.",
      });
    const shown = (number = 0) => String(number).padStart(4, "0");
    return { from: shown(applied.at(-1)?.number), to: shown(list.at(-1)?.number) };
  } finally {
    database.close();
  }
}

function refuseNoRoom(path: string, folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = Math.ceil(statSync(path).size * (1 + sparePart));
  if (bavail * bsize >= needed) return;
  throw new Error(`it needs ${megabytes(needed)} MB, and ${megabytes(bavail * bsize)} MB are free`);
}

/** Failing to remove it must not hide why there is no copy. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It may not exist.
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function timeIn(name: string): string {
  return name.slice(-"20260105T100000000Z.db".length);
}
