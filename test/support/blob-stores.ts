import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";
import { createS3Blobs } from "../../src/adapters/blobs/s3.ts";
import { Scratch } from "../../src/adapters/blobs/scratch.ts";
import type { BlobStore } from "../../src/platform/blobs/blob-store.ts";
import type { S3Place } from "../../src/platform/blobs/place.ts";
import { startS3Server } from "./s3-server.ts";

export type OpenedBlobs = {
  blobs: BlobStore;
  /** Everything that is stored under the names of a folder, complete or not. */
  stored: (folder: string) => string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** Every implementation of the port; its contract tests run over each. */
export const blobStores: Record<string, () => Promise<OpenedBlobs>> = {
  "a disk": openDisk,
  "an S3 bucket": () => openS3({ pageSize: 2 }),
  "an S3 bucket whose ETags are no checksums": () => openS3({ hasOpaqueEtags: true }),
};

export type S3Server = ReturnType<typeof startS3Server>;

export function placeOf({ bucket, url, accessKeyId, secretAccessKey }: S3Server): S3Place {
  return {
    kind: "s3",
    bucket,
    prefix: "team/one",
    endpoint: url,
    region: "eu-central-1",
    accessKeyId,
    secretAccessKey,
  };
}

async function openDisk(): Promise<OpenedBlobs> {
  const root = mkdtempSync(join(tmpdir(), "outreachd-blobs-"));
  return {
    blobs: createDiskBlobs(root),
    stored: (folder) => readdirSync(join(root, folder)),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true }),
  };
}

async function openS3(options: Parameters<typeof startS3Server>[0]): Promise<OpenedBlobs> {
  const root = mkdtempSync(join(tmpdir(), "outreachd-scratch-"));
  const server = startS3Server(options);
  const below = (folder: string) => `team/one/${folder}/`;
  return {
    blobs: createS3Blobs(placeOf(server), new Scratch(join(root, "scratch"), 100 * 2 ** 20)),
    stored: (folder) =>
      [...server.objects.keys(), ...[...server.uploads.values()].map(({ key }) => `${key} (incomplete)`)]
        .filter((key) => key.startsWith(below(folder)))
        .map((key) => key.slice(below(folder).length)),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      rmSync(root, { recursive: true });
    },
  };
}
