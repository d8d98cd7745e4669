import { link, open, readdir, stat, statfs, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ArchiveSink, ArchiveStore, StoredArchive } from "../../features/backup/archive-store.ts";
import { timeOfArchive } from "../../features/backup/model.ts";
import { giveToOwner, makeOwnedFolder } from "../disk/owned-folder.ts";

const unfinished = ".part";
/** Dirty pages delay every fsync of the database, so they must not accumulate. */
const bytesBetweenSyncs = 8 * 2 ** 20;
/** Upper limit of the space reserved for the database, a twentieth of the disk. */
const mostReserveBytes = 256 * 2 ** 20;

/** Stores archives as files in a directory, which is created on demand. Other users of the machine cannot read them. */
export function createDiskArchives(directory: string): ArchiveStore {
  const path = resolve(directory);
  const pathOf = (name: string) => join(path, name);
  return {
    place: path,
    create: (name) => createSink(path, name),
    async list() {
      const names = (await namesIn(path)).filter((name) => timeOfArchive(name) !== null).toSorted();
      const sizes = await Promise.all(names.map(async (name) => ({ name, bytes: await sizeOf(pathOf(name)) })));
      return sizes.filter((archive): archive is StoredArchive => archive.bytes !== null).reverse();
    },
    async find(name) {
      const bytes = timeOfArchive(name) === null ? null : await sizeOf(pathOf(name));
      return bytes === null ? null : { bytes, path: pathOf(name), stream: () => Bun.file(pathOf(name)).stream() };
    },
    remove: (name) => removeFile(pathOf(name)),
    async sweep(isOwn) {
      for (const name of await namesIn(path)) {
        const archive = name.endsWith(unfinished) ? name.slice(0, -unfinished.length) : null;
        if (archive !== null && timeOfArchive(archive) !== null && isOwn(archive)) await removeFile(pathOf(name));
      }
    },
  };
}

async function createSink(directory: string, name: string): Promise<ArchiveSink> {
  makeOwnedFolder(directory);
  const path = join(directory, name);
  const partial = path + unfinished;
  // A file handle and not Bun's FileSink, which reports success on a full disk (oven-sh/bun#24032).
  const file = await open(partial, "w", 0o600);
  giveToOwner(file.fd, directory);
  let unsynced = 0;
  return {
    async write(chunk) {
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at, chunk.length - at)).bytesWritten;
      unsynced += chunk.length;
      if (unsynced < bytesBetweenSyncs) return;
      unsynced = 0;
      await file.datasync();
      await refuseLastRoom(directory);
    },
    async complete() {
      await file.sync();
      await file.close();
      // Not a rename, which would replace an existing file.
      await link(partial, path);
      await unlink(partial);
      await syncFolder(directory);
    },
    async discard() {
      await file.close().catch(() => {});
      await unlink(partial).catch(() => {});
    },
  };
}

/** A backup that uses the last space stops the server that it backs up. */
async function refuseLastRoom(directory: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const reserve = Math.min(mostReserveBytes, (blocks * bsize) / 20);
  if (bavail * bsize >= reserve) return;
  const error = new Error(
    `not enough space in ${directory}: a backup leaves the last ${Math.round(reserve / 1e6)} MB free`,
  );
  throw Object.assign(error, { code: "ENOSPC" });
}

async function namesIn(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
}

async function sizeOf(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    },
  );
}

async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
