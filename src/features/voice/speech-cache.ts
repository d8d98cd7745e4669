import { stat, utimes } from "node:fs/promises";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock } from "../../platform/base/clock.ts";

const folder = "speech";
/** Evict down to this share of the limit: occasional large evictions are cheaper than one per file. */
const evictionTarget = 0.8;

/** Caches generated speech on disk and evicts the least recently used files. */
export class SpeechCache {
  readonly #blobs: BlobStore;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** Null until it has been measured. */
  #bytes: number | null = null;
  /** Files that are being written, by name. */
  readonly #pending = new Map<string, readonly Uint8Array[]>();
  readonly #writes = new Set<Promise<unknown>>();

  /** `maxBytes` 0 disables the cache. */
  constructor(blobs: BlobStore, maxBytes: number, clock: Clock) {
    this.#blobs = blobs;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** The local path of the file, or its contents while it is being written; null if it is not cached. */
  async find(cloneId: string, key: string): Promise<string | readonly Uint8Array[] | null> {
    const pending = this.#pending.get(nameOf(cloneId, key));
    if (pending !== undefined) return pending;
    const path = await this.#blobs.localPath(nameOf(cloneId, key));
    try {
      const now = new Date(this.#clock.now());
      await utimes(path, now, now);
      return path;
    } catch {
      return null; // absent or unreadable: generating it again solves both
    }
  }

  async store(cloneId: string, key: string, parts: readonly Uint8Array[]): Promise<void> {
    const name = nameOf(cloneId, key);
    if (parts.reduce((sum, { length }) => sum + length, 0) > this.#maxBytes || this.#pending.has(name)) return;
    this.#pending.set(name, parts);
    const write = this.#blobs.receive(name, iterate(parts), this.#maxBytes);
    this.#writes.add(write);
    const size = await write.finally(() => {
      this.#pending.delete(name);
      this.#writes.delete(write);
    });
    this.#bytes =
      this.#bytes === null ? (await this.#files()).reduce((sum, { size }) => sum + size, 0) : this.#bytes + size;
    if (this.#bytes > this.#maxBytes) await this.#evict();
  }

  /** Removes all cached speech of a voice. */
  async removeVoice(cloneId: string): Promise<void> {
    for (const name of await this.#blobs.list(folder))
      if (name.startsWith(`${folder}/${cloneId}.`)) await this.#blobs.remove(name);
    this.#bytes = null;
  }

  /** Removes speech of voices for which `isKnown` is false, and incomplete files. */
  async sweep(isKnown: (cloneId: string) => Promise<boolean>): Promise<void> {
    await Promise.allSettled(this.#writes);
    for (const name of await this.#blobs.list(folder)) {
      const [cloneId = ""] = name.slice(folder.length + 1).split(".");
      if (name.endsWith(".part") || !(await isKnown(cloneId))) await this.#blobs.remove(name);
    }
    this.#bytes = null;
  }

  async #evict(): Promise<void> {
    const files = (await this.#files()).toSorted((a, b) => a.usedAt - b.usedAt);
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of files) {
      if (bytes <= this.#maxBytes * evictionTarget) break;
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
        // The file was removed in the meantime.
      }
    return files;
  }
}

async function* iterate(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

function nameOf(cloneId: string, key: string): string {
  return `${folder}/${cloneId}.${key}`;
}
