import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";
import type { BlobStore } from "../../src/platform/blobs/blob-store.ts";

export type OpenedBlobs = {
  blobs: BlobStore;
  /** Everything that is stored under the names of a folder, complete or not. */
  stored: (folder: string) => string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** Every implementation of the port; its contract tests run over each. */
export const blobStores: Record<string, () => Promise<OpenedBlobs>> = { "a disk": openDisk };

async function openDisk(): Promise<OpenedBlobs> {
  const root = mkdtempSync(join(tmpdir(), "outreachd-blobs-"));
  return {
    blobs: createDiskBlobs(root),
    stored: (folder) => readdirSync(join(root, folder)),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true }),
  };
}
