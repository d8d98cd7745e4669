import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { copyFolder, blobFolders, type FolderSum } from "../adapters/blobs/copy-blobs.ts";
import { createBlobs } from "../adapters/blobs/blobs.ts";
import { blobsName, databaseName, holdDataDirectory } from "../adapters/disk/data-directory.ts";
import { copyRows, type CopiedSum, type CopyStep } from "../adapters/storage/copy/copy-rows.ts";
import { hasPartialCopy, removePartialCopy } from "../adapters/storage/copy/partial-copy.ts";
import type { CopySource, CopyTarget } from "../adapters/storage/copy/sides.ts";
import { systemClock } from "../platform/base/clock.ts";
import { diskFaultOf } from "../platform/base/disk-fault.ts";
import { StartError } from "../platform/base/start-error.ts";
import type { BlobStore } from "../platform/blobs/blob-store.ts";
import type { FilesPlace } from "../platform/blobs/place.ts";
import { startErrorOf, usableConnection } from "./database.ts";
import { shownDatabase } from "./config/database-options.ts";
import { hasBlobs } from "./first-run.ts";

/** A data directory, or a database on PostgreSQL. `files`: null if that is not known. */
export type CopyPlace =
  | { kind: "directory"; path: string; files: FilesPlace }
  | { kind: "postgres"; url: string; prepare: boolean; files: FilesPlace | null };

export type CopyRequest = {
  from: CopyPlace;
  to: CopyPlace;
  isReplaced: boolean;
  /** Identifies the source if the copy is continued. Default: its place. */
  source?: string;
};

export type CopyReport = {
  from: string;
  to: string;
  tables: CopiedSum[];
  files: FolderSum[];
  /** Where the previous data is; null if there was none. */
  movedAside: string | null;
};

export type CopyProgress = CopyStep | { phase: "files"; what: string };

type Opened<T> = { side: T; movedAside?: string | null; release(): void };

/**
 * Copies all rows and files of an installation that no server uses to an empty place, or continues that after an
 * interruption. Throws `StartError` if it cannot, or if the copy differs.
 */
export async function copyInstallation(
  { from, to, isReplaced, source: name = shown(from) }: CopyRequest,
  onProgress: (progress: CopyProgress) => Promise<void>,
): Promise<CopyReport> {
  const source = await openSource(from);
  try {
    const target = await openTarget(to, name, isReplaced);
    try {
      const files = await copyFiles(from, to, source.side, (what) => onProgress({ phase: "files", what }));
      const tables = await copyRows(source.side, target.side, onProgress).catch(explain(from, to));
      await target.side.complete();
      return { from: shown(from), to: shown(to), tables, files, movedAside: target.movedAside ?? null };
    } finally {
      await target.side.close();
      target.release();
    }
  } finally {
    await source.side.close();
    source.release();
  }
}

/** The database without its password, or the path of the directory. */
function shown(place: CopyPlace): string {
  return place.kind === "directory" ? resolve(place.path) : shownDatabase(place.url);
}

async function openSource(from: CopyPlace): Promise<Opened<CopySource>> {
  if (from.kind === "postgres") {
    const { openPostgresSource } = await import("../adapters/storage/copy/postgres-source.ts");
    const options = await usableConnection(from.url, from.prepare);
    return { side: await openPostgresSource(from.url, shown(from), options).catch(explain(from)), release() {} };
  }
  const databasePath = join(resolve(from.path), databaseName);
  if (!existsSync(databasePath))
    throw new StartError(`There is no database in ${shown(from)}.`, {
      hint: "Check the options --from and --to: data is copied from the former to the latter.",
    });
  const directory = holdDataDirectory(from.path);
  const { openSqliteSource } = await import("../adapters/storage/copy/sqlite-source.ts");
  try {
    return { side: await openSqliteSource(databasePath, shown(from)), release: () => directory.release() };
  } catch (error) {
    directory.release();
    throw error;
  }
}

async function openTarget(to: CopyPlace, from: string, isReplaced: boolean): Promise<Opened<CopyTarget>> {
  const target = { shown: shown(to), from, now: systemClock.now() };
  if (to.kind === "postgres") {
    const { openPostgresTarget } = await import("../adapters/storage/copy/postgres-target.ts");
    const engine = await usableConnection(to.url, to.prepare);
    const opening = openPostgresTarget({ ...target, url: to.url, isReplaced, engine });
    return { side: await opening.catch(explain(to)), release() {} };
  }
  const { openSqliteTarget } = await import("../adapters/storage/copy/sqlite-target.ts");
  const directory = holdDataDirectory(to.path);
  const { databasePath } = directory;
  try {
    if (isReplaced) removePartialCopy(databasePath);
    const isUsed = existsSync(databasePath) || (!hasPartialCopy(databasePath) && hasBlobs(directory));
    if (isUsed && !isReplaced)
      throw new StartError(`${target.shown} already contains data.`, {
        hint: "Copy to another directory, or add --replace, which moves the existing data aside first.",
      });
    const movedAside = isUsed ? moveAside(directory.path) : null;
    return { side: openSqliteTarget(databasePath, target), movedAside, release: () => directory.release() };
  } catch (error) {
    directory.release();
    throw error;
  }
}

function moveAside(path: string): string {
  const aside = join(path, `before-copy-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of [`${databaseName}-wal`, `${databaseName}-shm`, databaseName, blobsName])
    if (existsSync(join(path, name))) renameSync(join(path, name), join(aside, name));
  return aside;
}

async function copyFiles(
  from: CopyPlace,
  to: CopyPlace,
  source: CopySource,
  onFile: (name: string) => Promise<void>,
): Promise<FolderSum[]> {
  if (from.files === null) {
    await refuseMissingFiles(source);
    return [];
  }
  if (Bun.deepEquals(from.files, to.files)) return [];
  const stored = createBlobs(from.files, null);
  const folders = await Array.fromAsync(blobFolders, async (folder) => (await stored.list(folder)).length > 0);
  if (to.files === null) {
    if (!folders.includes(true)) return [];
    throw new StartError(`${shown(from)} has files, such as recordings, but no place for them was given.`, {
      hint: "Add --files s3://BUCKET/PREFIX, or --to-files with the data directory of the server that will use them.",
    });
  }
  const target = createBlobs(to.files, null);
  try {
    await refuseOtherFiles(stored, target, to.files);
    const sums: FolderSum[] = [];
    for (const folder of blobFolders) sums.push(await copyFolder(stored, target, folder, onFile));
    return sums;
  } catch (error) {
    const fault = diskFaultOf(error);
    if (fault === null) throw error;
    throw new StartError(`Could not copy the files: ${fault.words} (${(error as Error).message}).`, {
      hint: fault.hint,
      cause: error,
    });
  }
}

/** Without knowing where files are, recordings would be lost. */
async function refuseMissingFiles(source: CopySource): Promise<void> {
  const { copiedTables } = await import("../adapters/storage/copy/copied-tables.ts");
  for await (const { count } of source.rows(
    copiedTables.find(({ name }) => name === "voice_samples")!,
    null,
  ))
    if (count > 0)
      throw new StartError(`${source.shown} has recordings, but the place of its files was not given.`, {
        hint: "Add --files s3://BUCKET/PREFIX, or --from-files with the data directory of the server that stored them.",
      });
}

/** Files of another installation would be taken for those of this one, and deleted. */
async function refuseOtherFiles(source: BlobStore, target: BlobStore, place: FilesPlace): Promise<void> {
  for (const folder of blobFolders) {
    const own = new Set((await source.list(folder)).map(({ name }) => name));
    const other = (await target.list(folder)).find(({ name }) => !own.has(name));
    if (other === undefined) continue;
    const at = place.kind === "disk" ? place.path : `s3://${place.bucket}/${place.prefix}`;
    throw new StartError(`There are other files in ${at}, such as ${other.name}.`, {
      hint: "If they are the files of the source, name the place with --from-files, too. Otherwise, choose another one.",
    });
  }
}

/** Converts errors of the database into reasons. */
function explain(...places: readonly CopyPlace[]): (error: unknown) => never {
  const postgres = places.find(({ kind }) => kind === "postgres");
  return (error) => {
    throw postgres === undefined ? error : startErrorOf(error, shown(postgres));
  };
}
