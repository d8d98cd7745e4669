import { open, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { giveToOwner, makeOwnedFolder } from "../disk/owned-folder.ts";
import { BlobTooLarge, type BlobStore, type ByteStream } from "../../platform/blobs/blob-store.ts";

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

  return {
    receive,
    localPath: async (name) => pathOf(name),
    async list(folder) {
      try {
        return (await readdir(pathOf(folder))).map((file) => `${folder}/${file}`);
      } catch (error) {
        if (isAbsent(error)) return [];
        throw error;
      }
    },
    remove: (name) => removeFile(pathOf(name)),
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
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
