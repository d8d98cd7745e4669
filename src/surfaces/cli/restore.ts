import { chown, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { timeOfArchive, type Manifest } from "../../features/backup/model.ts";
import { loadConfig, type Config } from "../../app/config/config.ts";
import { shownDatabase, type DatabaseConfig } from "../../app/config/database-options.ts";
import { blobsName, databaseName, restoredName, restoreMark } from "../../adapters/disk/data-directory.ts";
import { syncPath } from "../../adapters/disk/owned-folder.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import type { FilesPlace } from "../../platform/blobs/place.ts";
import { StartError } from "../../platform/base/start-error.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addDataFlags } from "./flags.ts";
import { stateOf } from "./copy.ts";
import { refuseEmbeddedDatabase } from "./direct-storage.ts";
import { countOf, createProgress, formatBytes } from "./progress.ts";
import { reasonOf } from "./reason.ts";

type RestoreFlags = Record<string, unknown> & { replace?: boolean; check?: boolean; goOn?: boolean };

export function addRestoreCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("restore")
    .description(
      "Restore a backup to the data directory, or to an empty database on PostgreSQL. Checks everything before it changes anything.",
    )
    .argument("<FILE>", "Backup to restore: a file, or the name of a backup at the destination --backup-to")
    .option(
      "--replace",
      "Replace existing data. It is moved aside, to a folder in the data directory. Not for a database on PostgreSQL.",
    )
    .option("--check", "Only check the backup.")
    .option(
      "--go-on",
      "Leave network accounts active. By default, those with pending work are paused, because their actions since the backup are unknown.",
    );
  addDataFlags(command).action((file: string, flags: RestoreFlags) => restore(file, flags, context));
}

async function restore(file: string, flags: RestoreFlags, context: CommandContext): Promise<void> {
  const config = loadConfig({ flags, env: context.env });
  const isCheck = flags.check === true;
  const database = isCheck ? null : config.database;
  const dataDir = resolve(config.dataDir);
  if (database !== null) await refuseUsed(database, config, flags);
  const existed = existsSync(dataDir);
  const archive = await openArchive(file, config);
  const { holdDataDirectory } = await import("../../adapters/disk/data-directory.ts");
  const directory = isCheck ? null : holdDataDirectory(dataDir, { mayBeCutOff: true });
  const { answerWhileRestoring } = await import("./restore-notice.ts");
  const stopAnswering = directory === null || database !== null ? () => {} : answerWhileRestoring(config);
  const staging = join(dataDir, `restore-${process.pid}.part`);
  let done = false;
  try {
    if (directory !== null && database === null && flags.replace !== true) await refuseExisting(dataDir);
    if (directory !== null) await removeLeftOver(dataDir);
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const manifest = await checkedInto(staging, archive, file);
    if (directory === null) return await present(context, report(manifest, null), checkedText(file, manifest));
    const pausedAccounts = flags.goOn === true ? 0 : await pauseAccounts(staging, manifest);
    if (database !== null) {
      const place = shownDatabase(database.url);
      await fillDatabase(staging, manifest, config, database, context);
      done = config.files.place === null; // files are in the data directory
      const outcome = { place, database: place, pausedAccounts };
      return await present(context, report(manifest, outcome), restoredText(manifest, outcome));
    }
    await leaveNote(staging, manifest);
    if (config.files.place !== null) await uploadFiles(staging, config.files.place);
    await giveToOwner(staging, dataDir);
    const movedAside = await putInPlace(staging, dataDir);
    done = true;
    const outcome = { place: dataDir, dataDir, movedAside, pausedAccounts };
    await present(context, report(manifest, outcome), restoredText(manifest, outcome));
  } finally {
    await rm(staging, { recursive: true, force: true }).catch(() => {});
    stopAnswering();
    directory?.release();
    // A directory that did not exist must not look like data afterwards.
    if (!existed && !done) await rm(dataDir, { recursive: true, force: true }).catch(() => {});
  }
}

/** Before anything is unpacked, which takes long. */
async function refuseUsed(database: DatabaseConfig, config: Config, flags: RestoreFlags): Promise<void> {
  if (flags.replace === true)
    throw new CommandError(exitCodes.usage, "--replace works only for a data directory.", {
      hint: "Restore to an empty database, such as a new one that `createdb` creates.",
    });
  refuseEmbeddedDatabase(config);
  const { requireEmpty } = await import("../../app/restore-database.ts");
  await requireEmpty(database);
}

async function fillDatabase(
  staging: string,
  manifest: Manifest,
  config: Config,
  database: DatabaseConfig,
  context: CommandContext,
): Promise<void> {
  const files = config.files.place ?? { kind: "disk" as const, path: join(resolve(config.dataDir), blobsName) };
  const { createdAt } = manifest;
  const backup = { path: staging, createdAt, note: noteOf(manifest) };
  const { restoreToDatabase } = await import("../../app/restore-database.ts");
  const progress = createProgress(context);
  try {
    await uploadFiles(staging, files);
    await restoreToDatabase(backup, config, database, files, (step) => progress.show(stateOf(step)));
  } finally {
    progress.clear();
  }
}

async function openArchive(file: string, config: Config): Promise<AsyncIterable<Uint8Array>> {
  if (existsSync(file) || timeOfArchive(file) === null) return await fromDisk(file);
  const { createArchives } = await import("../../adapters/blobs/archives.ts");
  const { backupsName } = await import("../../adapters/disk/data-directory.ts");
  const archives = createArchives(config.backup.place ?? { kind: "disk", path: join(config.dataDir, backupsName) });
  try {
    const found = await archives.find(file);
    if (found !== null) return found.stream();
  } catch (cause) {
    throw new CommandError(exitCodes.failed, `Could not read ${file} in ${archives.place}: ${reasonOf(cause)}`, {
      hint: placeHint,
      cause,
    });
  }
  throw new CommandError(exitCodes.failed, `${file} not found, neither here nor in ${archives.place}.`, {
    hint: placeHint,
  });
}

/** The server that created it may get its settings from systemd or a container. */
const placeHint =
  "The backup destination comes from the settings of this command, not of the server. If the server has others, " +
  "set its destination with --backup-to (for S3, also its URL and keys), or pass the path of the file.";

async function fromDisk(file: string): Promise<AsyncIterable<Uint8Array>> {
  try {
    const handle = await open(file);
    if (!(await handle.stat()).isFile()) throw new Error("it is not a file.");
    return handle.createReadStream({ highWaterMark: 2 ** 20 });
  } catch (cause) {
    throw new CommandError(exitCodes.failed, `Could not read ${file}: ${reasonOf(cause)}`, { cause });
  }
}

async function refuseExisting(dataDir: string): Promise<void> {
  const blobs = await readdir(join(dataDir, blobsName)).catch(() => []);
  if (!existsSync(join(dataDir, databaseName)) && blobs.length === 0) return;
  throw new CommandError(exitCodes.failed, `${dataDir} already contains data.`, {
    hint: "Restore to another directory with --data DIR, or add --replace, which moves the existing data aside first.",
  });
}

/** Left behind by a restore that was killed. */
async function removeLeftOver(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (/^restore-\d+\.part$/.test(name)) await rm(join(dataDir, name), { recursive: true });
}

async function checkedInto(staging: string, archive: AsyncIterable<Uint8Array>, file: string): Promise<Manifest> {
  const { ArchiveError } = await import("../../features/backup/archive-error.ts");
  const { unpackArchive } = await import("../../features/backup/unpack.ts");
  try {
    const manifest = await unpackArchive(archive, staging);
    const problem = await databaseProblem(join(staging, databaseName), manifest);
    if (problem !== null) throw new ArchiveError(problem);
    return manifest;
  } catch (cause) {
    if (cause instanceof StartError)
      throw new CommandError(exitCodes.failed, `Could not restore ${file}: ${cause.message}`, {
        ...(cause.hint !== undefined && { hint: cause.hint }),
        cause,
      });
    const reason = cause instanceof ArchiveError ? `${cause.message}.` : reasonOf(cause);
    throw new CommandError(exitCodes.failed, `Could not restore ${file}: ${reason}`, {
      hint: "Nothing was changed. Use another backup, or download this one again.",
      cause,
    });
  }
}

/** Throws `StartError` for a database written by a newer version. */
async function databaseProblem(path: string, manifest: Manifest): Promise<string | null> {
  const { danglingRows, integrityProblems, openToCheck, pendingMigrations } =
    await import("../../adapters/storage/sqlite/check-database.ts");
  const { appliedMigrations } = await import("../../adapters/storage/sqlite/migrate.ts");
  const database = openToCheck(path);
  try {
    const [damage] = integrityProblems(database, true);
    if (damage !== undefined) return `its database is damaged (${damage})`;
    pendingMigrations(database);
    if (!Bun.deepEquals(appliedMigrations(database), manifest.migrations))
      return "its manifest lists other migrations than its database";
    const [dangling] = danglingRows(database);
    return dangling === undefined ? null : `in its database ${dangling}`;
  } finally {
    database.close(true);
    // Opening a database leaves its log behind.
    for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
  }
}

async function pauseAccounts(staging: string, { createdAt }: Manifest): Promise<number> {
  const { holdAccounts } = await import("../../adapters/storage/sqlite/hold-accounts.ts");
  const reason = `Paused by the restore of the backup of ${createdAt}: its actions since then are unknown`;
  return holdAccounts(join(staging, databaseName), reason, Date.now());
}

/** For the audit log, which the next start writes to: until then, its tables may be from an older version. */
async function leaveNote(staging: string, manifest: Manifest): Promise<void> {
  await writeFile(join(staging, restoredName), JSON.stringify(noteOf(manifest)), { mode: 0o600 });
}

function noteOf({ createdAt, version }: Manifest) {
  return { backupOf: createdAt, version, restoredAt: new Date().toISOString() };
}

/** Before the database, whose rows refer to them. The files that are there stay, unless they have the same names. */
async function uploadFiles(staging: string, place: FilesPlace): Promise<void> {
  const { createBlobs } = await import("../../adapters/blobs/blobs.ts");
  const blobs = createBlobs(place, null);
  const root = join(staging, blobsName);
  const entries = existsSync(root) ? await readdir(root, { recursive: true, withFileTypes: true }) : [];
  try {
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const file = Bun.file(path);
      await blobs.receive(path.slice(root.length + 1), file.stream(), file.size);
    }
  } catch (cause) {
    const shown = place.kind === "disk" ? place.path : `s3://${place.bucket}/${place.prefix}`;
    const message = `Could not store the files of the backup in ${shown}: ${reasonOf(cause)}`;
    throw new CommandError(exitCodes.failed, message, { hint: diskFaultOf(cause)?.hint, cause });
  }
  await rm(root, { recursive: true, force: true });
}

/** For restores by root for a server that runs as another user. */
async function giveToOwner(staging: string, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDir);
  for (const name of ["", ...(await readdir(staging, { recursive: true }))]) await chown(join(staging, name), uid, gid);
}

/**
 * Replaces the old data with the new by renaming. A marker file shows that this is in progress, so that a server
 * started after a crash in the middle does not mistake half of the data for all of it. Returns where the old data is;
 * null if there was none.
 */
async function putInPlace(staging: string, dataDir: string): Promise<string | null> {
  const mark = join(dataDir, restoreMark);
  const old = [`${databaseName}-wal`, `${databaseName}-shm`, databaseName, blobsName].filter((name) =>
    existsSync(join(dataDir, name)),
  );
  const aside = join(dataDir, `before-restore-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`);
  await writeFile(mark, "");
  syncPath(dataDir);
  if (old.length > 0) await mkdir(aside, { mode: 0o700 });
  for (const name of old) await rename(join(dataDir, name), join(aside, name));
  for (const name of [blobsName, databaseName, restoredName])
    if (existsSync(join(staging, name))) await rename(join(staging, name), join(dataDir, name));
  syncPath(dataDir);
  await rm(mark);
  syncPath(dataDir);
  return old.length > 0 ? aside : null;
}

/** `place`: for people. */
type Outcome = { place: string; pausedAccounts: number } & (
  | { dataDir: string; movedAside: string | null }
  | { database: string }
);

function report({ version, createdAt, members, missing, audit }: Manifest, outcome: Outcome | null) {
  const bytes = members.reduce((sum, { size }) => sum + size, 0);
  const { place: _, ...facts } = outcome ?? {};
  return {
    restored: outcome !== null,
    ...facts,
    version,
    createdAt,
    files: members.length - 1,
    bytes,
    missing,
    audit,
  };
}

function checkedText(file: string, manifest: Manifest): string {
  return `${file} is valid: ${contentsOf(manifest)}.`;
}

function restoredText(manifest: Manifest, outcome: Outcome): string {
  const { place, pausedAccounts } = outcome;
  const lines = [`Restored ${contentsOf(manifest)} to ${place}.`];
  if ("movedAside" in outcome && outcome.movedAside !== null)
    lines.push(`The previous data is in ${outcome.movedAside}. Delete it when you no longer need it.`);
  if (pausedAccounts > 0)
    lines.push(
      `Paused ${countOf(pausedAccounts, "network account")} with pending work, because actions since the backup are unknown. Check them, then set their state to active.`,
    );
  return lines.join("\n");
}

function contentsOf(manifest: Manifest): string {
  const { bytes, files, createdAt, version, missing } = report(manifest, null);
  const lost =
    missing.length === 0 ? "" : `, without ${countOf(missing.length, "file")} that disappeared or changed meanwhile`;
  return `the backup of ${createdAt} by outreachd ${version} (database and ${countOf(files, "file")}, ${formatBytes(bytes)}${lost})`;
}
