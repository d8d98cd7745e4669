import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
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
  "a bucket of s3rver": openS3rver,
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

/** The package has no types. */
type S3rver = new (options: {
  address: string;
  port: number;
  silent: boolean;
  directory: string;
  configureBuckets: { name: string; configs: string[] }[];
}) => { run(): Promise<{ port: number }>; close(): Promise<void> };

/** A server for S3 that is not ours, so that the client and the server do not share a misunderstanding. */
async function openS3rver(): Promise<OpenedBlobs> {
  const Server = createRequire(import.meta.url)("s3rver") as S3rver;
  const root = mkdtempSync(join(tmpdir(), "outreachd-s3rver-"));
  const server = new Server({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(root, "objects") },
    configureBuckets: [{ name: "backups", configs: [] }],
  });
  const { port } = await server.run();
  const place: S3Place = {
    ...{ kind: "s3", bucket: "backups", prefix: "team/one", region: "us-east-1" },
    ...{ endpoint: `http://127.0.0.1:${port}`, accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
  };
  const bucket = join(root, "objects/backups");
  const filesIn = (folder: string) => (existsSync(join(bucket, folder)) ? readdirSync(join(bucket, folder)) : []);
  return {
    blobs: createS3Blobs(place, new Scratch(join(root, "scratch"), 100 * 2 ** 20)),
    // It cannot abort uploads, so incomplete ones stay and say nothing.
    stored: (folder) => filesIn(`team/one/${folder}`).flatMap((file) => /^(.*)\._S3rver_object$/.exec(file)?.[1] ?? []),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      rmSync(root, { recursive: true });
    },
  };
}
