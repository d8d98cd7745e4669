import { S3Client } from "bun";
import type { ArchiveSink, ArchiveStore, StoredArchive } from "../backup/archive-store.ts";
import { timeOfArchive } from "../backup/model.ts";
import type { ArchivePlace } from "../backup/place.ts";

/** The least that S3 takes is 5 MiB; 10,000 parts of this make an archive of 160 GB. */
const partBytes = 16 * 2 ** 20;

/** Keeps archives as objects of a bucket. An object is there only when its last part has arrived. */
export function createS3Archives(place: Extract<ArchivePlace, { kind: "s3" }>): ArchiveStore {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = place;
  const client = new S3Client({ bucket, region, accessKeyId, secretAccessKey, ...(endpoint !== null && { endpoint }) });
  const folder = prefix === "" ? "" : `${prefix}/`;
  const keyOf = (name: string) => folder + name;

  async function* objects(): AsyncGenerator<StoredArchive> {
    let continuationToken: string | undefined;
    do {
      const page = await client.list({ prefix: folder, ...(continuationToken !== undefined && { continuationToken }) });
      for (const { key, size } of page.contents ?? []) {
        const name = key.slice(folder.length);
        if (timeOfArchive(name) !== null) yield { name, bytes: size ?? 0 };
      }
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
  }

  return {
    place: `s3://${bucket}/${prefix}`,
    create: async (name) => createSink(client, keyOf(name)),
    list: async () => (await Array.fromAsync(objects())).toSorted((a, b) => (a.name < b.name ? 1 : -1)),
    async find(name) {
      if (timeOfArchive(name) === null || !(await client.exists(keyOf(name)))) return null;
      const { size } = await client.stat(keyOf(name));
      return { bytes: size, path: null, stream: () => client.file(keyOf(name)).stream() };
    },
    remove: (name) => client.delete(keyOf(name)),
    async sweep() {},
  };
}

function createSink(client: S3Client, key: string): ArchiveSink {
  const file = client.file(key);
  const writer = file.writer({ partSize: partBytes, queueSize: 2, retry: 3, type: "application/zstd" });
  let bytes = 0;
  return {
    async write(chunk) {
      bytes += chunk.length;
      await writer.write(chunk);
      await writer.flush();
    },
    async complete() {
      await writer.end();
      const { size } = await file.stat();
      if (size !== bytes) throw new Error(`Sent ${bytes} bytes to ${key}, but ${size} are there`);
    },
    // Its `end` would complete the object with what has arrived so far. Parts that nobody completes are never seen; a
    // lifecycle rule of the bucket (AbortIncompleteMultipartUpload) removes them.
    async discard() {},
  };
}
