import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { BlobContent, StoredBlob } from "../../platform/blobs/model.ts";
import type { Clock } from "../../platform/base/clock.ts";

const folder = "speech/";
/** Evict down to this share of the limit: occasional large evictions are cheaper than one per file. */
const evictionTarget = 0.8;

/** Caches generated speech and evicts the least recently used files. */
export class SpeechCache {
  readonly #blobs: BlobStore;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** Null until it has been measured. */
  #bytes: number | null = null;
  /** Written since it was measured. */
  #writtenBytes = 0;
  /** Files that are being written, by name. */
  readonly #pending = new Map<string, readonly Uint8Array[]>();
  readonly #writes = new Set<Promise<unknown>>();

  /** `maxBytes` 0 disables the cache. */
  constructor(blobs: BlobStore, maxBytes: number, clock: Clock) {
    this.#blobs = blobs;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** The file, or its contents while it is being written; null if it is not cached. */
  async find(cloneId: string, key: string): Promise<BlobContent | readonly Uint8Array[] | null> {
    const name = nameOf(cloneId, key);
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    try {
      return (await this.#blobs.touch(name, this.#clock.now())) ? await this.#blobs.find(name) : null;
    } catch {
      return null; // unreadable: generating it again solves that
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
    this.#writtenBytes += size;
    this.#bytes = this.#bytes === null || this.#isOutdated() ? await this.#measure() : this.#bytes + size;
    if (this.#bytes > this.#maxBytes) await this.#evict();
  }

  /** Removes all cached speech of a voice. */
  async removeVoice(cloneId: string): Promise<void> {
    for (const { name } of await this.#blobs.list(`${folder}${cloneId}.`)) await this.#blobs.remove(name);
    this.#bytes = null;
  }

  /** Removes speech of voices for which `isKnown` is false, and incomplete files. */
  async sweep(isKnown: (cloneId: string) => Promise<boolean>): Promise<void> {
    await Promise.allSettled(this.#writes);
    for (const { name } of await this.#blobs.list(folder)) {
      const [cloneId = ""] = name.slice(folder.length).split(".");
      if (name.endsWith(".part") || !(await isKnown(cloneId))) await this.#blobs.remove(name);
    }
    this.#bytes = null;
  }

  /** Other processes write to a shared store too, presumably about as much. */
  #isOutdated(): boolean {
    return this.#blobs.isShared && this.#writtenBytes > this.#maxBytes * (1 - evictionTarget);
  }

  async #measure(): Promise<number> {
    this.#writtenBytes = 0;
    return totalBytes(await this.#blobs.list(folder));
  }

  async #evict(): Promise<void> {
    const files = (await this.#blobs.list(folder)).toSorted((a, b) => a.changedAt - b.changedAt);
    let total = totalBytes(files);
    for (const { name, bytes } of files) {
      if (total <= this.#maxBytes * evictionTarget) break;
      await this.#blobs.remove(name);
      total -= bytes;
    }
    this.#bytes = total;
  }
}

function totalBytes(files: readonly StoredBlob[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function* iterate(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

function nameOf(cloneId: string, key: string): string {
  return `${folder}${cloneId}.${key}`;
}
