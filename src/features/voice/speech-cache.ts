import { stat, utimes } from "node:fs/promises";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock } from "../../platform/base/clock.ts";

const folder = "speech";
/** Making room once in a while costs less than at every file. */
const keptShare = 0.8;

/** Speech that was made already, by what made it; the least recently used goes when it takes up too much. */
export class SpeechCache {
  readonly #blobs: BlobStore;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** Null until somebody has looked. */
  #bytes: number | null = null;
  /** Files on their way to the disk, by name. */
  readonly #arriving = new Map<string, readonly Uint8Array[]>();
  readonly #writes = new Set<Promise<unknown>>();

  /** `maxBytes` 0: nothing is kept. */
  constructor(blobs: BlobStore, maxBytes: number, clock: Clock) {
    this.#blobs = blobs;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** The path of the file on this machine, or its parts while they are being written; null when it must be made. */
  async find(cloneId: string, key: string): Promise<string | readonly Uint8Array[] | null> {
    const arriving = this.#arriving.get(nameOf(cloneId, key));
    if (arriving !== undefined) return arriving;
    const path = await this.#blobs.localPath(nameOf(cloneId, key));
    try {
      const now = new Date(this.#clock.now());
      await utimes(path, now, now);
      return path;
    } catch {
      return null; // absent, or on a disk that can't be read: making it anew is the way out of both
    }
  }

  async keep(cloneId: string, key: string, parts: readonly Uint8Array[]): Promise<void> {
    const name = nameOf(cloneId, key);
    if (parts.reduce((sum, { length }) => sum + length, 0) > this.#maxBytes || this.#arriving.has(name)) return;
    this.#arriving.set(name, parts);
    const write = this.#blobs.receive(name, each(parts), this.#maxBytes);
    this.#writes.add(write);
    const size = await write.finally(() => {
      this.#arriving.delete(name);
      this.#writes.delete(write);
    });
    this.#bytes =
      this.#bytes === null ? (await this.#files()).reduce((sum, { size }) => sum + size, 0) : this.#bytes + size;
    if (this.#bytes > this.#maxBytes) await this.#makeRoom();
  }

  /** Removes all speech in a voice. */
  async forget(cloneId: string): Promise<void> {
    for (const name of await this.#blobs.list(folder))
      if (name.startsWith(`${folder}/${cloneId}.`)) await this.#blobs.remove(name);
    this.#bytes = null;
  }

  /** Removes speech in voices that `isKnown` denies, and files that were not finished. */
  async sweep(isKnown: (cloneId: string) => Promise<boolean>): Promise<void> {
    await Promise.allSettled(this.#writes);
    for (const name of await this.#blobs.list(folder)) {
      const [cloneId = ""] = name.slice(folder.length + 1).split(".");
      if (name.endsWith(".part") || !(await isKnown(cloneId))) await this.#blobs.remove(name);
    }
    this.#bytes = null;
  }

  async #makeRoom(): Promise<void> {
    const files = (await this.#files()).toSorted((a, b) => a.usedAt - b.usedAt);
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of files) {
      if (bytes <= this.#maxBytes * keptShare) break;
      await this.#blobs.remove(name);
      bytes -= size;
    }
    this.#bytes = bytes;
  }

  async #files(): Promise<{ name: string; size: number; usedAt: number }[]> {
    const files = [];
    for (const name of await this.#blobs.list(folder))
      try {
        const { size, mtimeMs } = await stat(await this.#blobs.localPath(name));
        files.push({ name, size, usedAt: mtimeMs });
      } catch {
        // It went away meanwhile.
      }
    return files;
  }
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

function nameOf(cloneId: string, key: string): string {
  return `${folder}/${cloneId}.${key}`;
}
