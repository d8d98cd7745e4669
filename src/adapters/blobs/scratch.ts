import { rm } from "node:fs/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { BlobFault, type LocalFile } from "../../platform/blobs/blob-store.ts";
import { writeScratchFile } from "./scratch-file.ts";

/** Copies that nothing uses are removed after this time: the original may have been deleted by another process. */
const idleMs = 10 * 60_000;

type Copy = {
  name: string;
  path: string;
  bytes: number;
  users: number;
  written: Promise<void>;
  cancelRemoval: () => void;
};

/**
 * Local copies of blobs, in a directory that is emptied first. Copies in use stay; of the others, the least recently
 * used ones make room for new ones.
 */
export class Scratch {
  readonly #directory: string;
  readonly #maxBytes: number;
  /** By name and version, the least recently used first. */
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;
  #lastNumber = 0;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    rmSync(directory, { recursive: true, force: true });
  }

  /**
   * The copy of this version of a blob, which is written from `content` unless it exists. Throws `BlobFault` if there is
   * no room for it.
   */
  async copyOf(
    blob: { name: string; version: string; bytes: number },
    content: () => AsyncIterable<Uint8Array>,
  ): Promise<LocalFile> {
    const key = `${blob.name} ${blob.version}`;
    const copy = this.#copies.get(key) ?? this.#create(key, blob, content);
    copy.users++;
    copy.cancelRemoval();
    this.#copies.delete(key);
    this.#copies.set(key, copy);
    try {
      await copy.written;
    } catch (error) {
      this.#release(key, copy);
      throw error;
    }
    let isHeld = true;
    return {
      path: copy.path,
      [Symbol.dispose]: () => {
        if (isHeld) this.#release(key, copy);
        isHeld = false;
      },
    };
  }

  /** A path in the directory at which there is never a file. */
  get absentPath(): string {
    return join(this.#directory, "absent");
  }

  /** Removes the copies of a blob that are not in use; the others follow once they are not. */
  forget(name: string): void {
    for (const [key, copy] of this.#copies) if (copy.name === name) this.#forget(key, copy);
  }

  #create(
    key: string,
    { name, bytes }: { name: string; bytes: number },
    content: () => AsyncIterable<Uint8Array>,
  ): Copy {
    this.#makeRoom(bytes);
    const path = join(this.#directory, `${++this.#lastNumber}`);
    const copy: Copy = {
      name,
      path,
      bytes,
      users: 0,
      written: writeScratchFile(path, content),
      cancelRemoval: () => {},
    };
    this.#copies.set(key, copy);
    this.#bytes += bytes;
    copy.written.catch(() => this.#forget(key, copy));
    return copy;
  }

  #makeRoom(bytes: number): void {
    for (const [key, copy] of this.#copies) {
      if (this.#bytes + bytes <= this.#maxBytes) return;
      if (copy.users === 0) this.#forget(key, copy);
    }
    if (this.#bytes + bytes <= this.#maxBytes) return;
    const inUse = `${this.#bytes} of ${this.#maxBytes} bytes are in use`;
    throw new BlobFault("BLOBS_NO_SCRATCH", `No room for ${bytes} bytes in ${this.#directory}: ${inUse}`);
  }

  /** The space counts as used until no one has the file. */
  #forget(key: string, copy: Copy): void {
    if (this.#copies.get(key) === copy) this.#copies.delete(key);
    if (copy.users === 0) this.#remove(copy);
  }

  #release(key: string, copy: Copy): void {
    if (--copy.users > 0) return;
    if (this.#copies.get(key) !== copy) return this.#remove(copy);
    const timer = setTimeout(() => this.#forget(key, copy), idleMs);
    timer.unref();
    copy.cancelRemoval = () => clearTimeout(timer);
  }

  #remove(copy: Copy): void {
    copy.cancelRemoval();
    this.#bytes -= copy.bytes;
    // Unlinking fails only on a disk that no longer accepts writes; the next start empties the directory.
    void rm(copy.path, { force: true }).catch(() => {});
  }
}
