import { open, readdir, rename, stat, unlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { giveToOwner, makeOwnedFolder } from "../disk/owned-folder.ts";
import { BlobTooLarge, type BlobStore, type ByteStream } from "../../platform/blobs/blob-store.ts";
import type { BlobContent, StoredBlob } from "../../platform/blobs/model.ts";
import { fileContent } from "../../platform/blobs/file-content.ts";

const unfinished = ".part";

/** Stores blobs as files under `root`. A file appears under its name only once it is complete and synced. */
export function createDiskBlobs(root: string): BlobStore {
  const pathOf = (name: string) => join(root, name);

  async function receive(name: string, stream: ByteStream, maxBytes: number): Promise<number> {
    const path = pathOf(name);
    makeOwnedFolder(dirname(path));
    const partial = path + unfinished;
    try {
      const size = await write(partial, stream, maxBytes);
      await rename(partial, path);
      await syncFolder(dirname(path));
      return size;
    } catch (error) {
      await removeFile(partial);
      throw error;
    }
  }

  async function find(name: string): Promise<BlobContent | null> {
    const path = pathOf(name);
    const bytes = await unlessAbsent(stat(path).then(({ size }) => size));
    return bytes === null ? null : fileContent(path, bytes);
  }

  async function list(prefix: string): Promise<StoredBlob[]> {
    const folder = dirname(`${prefix}_`);
    const names = (await unlessAbsent(readdir(pathOf(folder)))) ?? [];
    const matching = names.map((file) => `${folder}/${file}`).filter((name) => name.startsWith(prefix));
    const stored = await Promise.all(
      matching.map(async (name): Promise<StoredBlob | null> => {
        const found = await unlessAbsent(stat(pathOf(name)));
        return found && { name, bytes: found.size, changedAt: found.mtimeMs };
      }),
    );
    return stored.filter((blob) => blob !== null);
  }

  async function touch(name: string, at: number): Promise<boolean> {
    const time = new Date(at);
    return (await unlessAbsent(utimes(pathOf(name), time, time).then(() => true))) ?? false;
  }

  return {
    isShared: false,
    receive,
    localFile: async (name) => ({ path: pathOf(name), [Symbol.dispose]() {} }),
    find,
    list,
    touch,
    remove: (name) => removeFile(pathOf(name)),
    // Files are on the disk of the database, which is checked by writing to it.
    check: async () => {},
  };
}

// A file handle and not Bun's FileSink, which reports success on a full disk (oven-sh/bun#24032).
async function write(path: string, stream: ByteStream, maxBytes: number): Promise<number> {
  const file = await open(path, "w", 0o600);
  let size = 0;
  try {
    giveToOwner(file.fd, dirname(path));
    for await (const chunk of (stream ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new BlobTooLarge(`More than ${maxBytes} bytes`);
      for (let written = 0; written < chunk.byteLength;)
        written += (await file.write(chunk, written, chunk.byteLength - written)).bytesWritten;
    }
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

/** A new name is durable only once the folder itself is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function removeFile(path: string): Promise<void> {
  await unlessAbsent(unlink(path));
}

/** Null if there is no such file. */
async function unlessAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
