import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BlobFault, type LocalFile } from "../../platform/blobs/blob-store.ts";
import type { ScratchStore } from "../../platform/blobs/scratch-store.ts";
import { writeScratchFile } from "./scratch-file.ts";

/** In a directory that is emptied first, up to a size. */
export class DiskScratchFiles implements ScratchStore {
  readonly #directory: string;
  readonly #maxBytes: number;
  #bytes = 0;
  #lastNumber = 0;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    rmSync(directory, { recursive: true, force: true });
  }

  async receive(stream: AsyncIterable<Uint8Array>): Promise<LocalFile> {
    const path = join(this.#directory, `${++this.#lastNumber}`);
    let bytes = 0;
    const remove = (): void => {
      this.#bytes -= bytes;
      bytes = 0;
      // Fails only on a disk that no longer accepts writes; the next start empties the directory.
      void rm(path, { force: true }).catch(() => {});
    };
    const counted = async function* (this: DiskScratchFiles): AsyncGenerator<Uint8Array> {
      for await (const chunk of stream) {
        this.#take(chunk.length);
        bytes += chunk.length;
        yield chunk;
      }
    };
    try {
      await writeScratchFile(path, () => counted.call(this));
    } catch (error) {
      remove();
      throw error;
    }
    return { path, [Symbol.dispose]: remove };
  }

  #take(bytes: number): void {
    if (this.#bytes + bytes > this.#maxBytes)
      throw new BlobFault("BLOBS_NO_SCRATCH", `All ${this.#maxBytes} bytes in ${this.#directory} are in use`);
    this.#bytes += bytes;
  }
}
