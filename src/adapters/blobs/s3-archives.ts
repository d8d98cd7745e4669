import type { ArchiveSink, ArchiveStore, StoredArchive } from "../../features/backup/archive-store.ts";
import { timeOfArchive } from "../../features/backup/model.ts";
import type { S3Place } from "../../platform/blobs/place.ts";
import { openBucket, s3Patience, type S3Patience } from "./s3-bucket.ts";

/** S3 requires at least 5 MiB; 10,000 parts of this size make an archive of 160 GB. */
const partBytes = 16 * 2 ** 20;

/** Stores archives as objects in a bucket. An object exists only once its last part has arrived. */
export function createS3Archives(place: S3Place, { answerMs, partMs }: S3Patience = s3Patience): ArchiveStore {
  const { client, place: shownPlace, folder, asked, objects } = openBucket(place);
  const keyOf = (name: string) => folder + name;

  async function* archives(): AsyncGenerator<StoredArchive> {
    for await (const { key, bytes } of objects(folder, answerMs)) {
      const name = key.slice(folder.length);
      if (timeOfArchive(name) !== null) yield { name, bytes };
    }
  }

  async function createSink(key: string): Promise<ArchiveSink> {
    const file = client.file(key);
    const writer = file.writer({ partSize: partBytes, queueSize: 2, retry: 3, type: "application/zstd" });
    let bytes = 0;
    return {
      async write(chunk) {
        bytes += chunk.length;
        await asked(partMs, Promise.resolve(writer.write(chunk)));
        await asked(partMs, Promise.resolve(writer.flush()));
      },
      async complete() {
        await asked(partMs, Promise.resolve(writer.end()));
        const { size } = await asked(answerMs, file.stat());
        if (size !== bytes) throw new Error(`Sent ${bytes} bytes to ${key}, but it has ${size}`);
      },
      // Its `end` would complete the object with what has arrived so far. Parts of an incomplete upload are never
      // visible; a lifecycle rule of the bucket (AbortIncompleteMultipartUpload) removes them.
      async discard() {},
    };
  }

  return {
    place: shownPlace,
    create: (name) => createSink(keyOf(name)),
    list: async () => (await Array.fromAsync(archives())).toSorted((a, b) => (a.name < b.name ? 1 : -1)),
    async find(name) {
      if (timeOfArchive(name) === null || !(await asked(answerMs, client.exists(keyOf(name))))) return null;
      const { size } = await asked(answerMs, client.stat(keyOf(name)));
      return { bytes: size, path: null, stream: () => client.file(keyOf(name)).stream() };
    },
    remove: (name) => asked(answerMs, client.delete(keyOf(name))),
    async sweep() {},
  };
}
