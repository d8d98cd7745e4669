import { S3Client } from "bun";
import type { ArchiveSink, ArchiveStore, StoredArchive } from "../../features/backup/archive-store.ts";
import { timeOfArchive } from "../../features/backup/model.ts";
import type { ArchivePlace } from "../../features/backup/place.ts";

/** S3 requires at least 5 MiB; 10,000 parts of this size make an archive of 160 GB. */
const partBytes = 16 * 2 ** 20;

/**
 * Timeouts of a response, and of the upload of a part. If a service accepts connections but never responds, Bun gives
 * up only after 6 to 25 minutes, depending on the request (observed with 1.4.5). The backup and all backups after it
 * would wait that long. 15 minutes: two parts at 300 kbit/s.
 */
const patience = { answerMs: 60_000, partMs: 15 * 60_000 };

/** Stores archives as objects in a bucket. An object exists only once its last part has arrived. */
export function createS3Archives(
  place: Extract<ArchivePlace, { kind: "s3" }>,
  { answerMs, partMs } = patience,
): ArchiveStore {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = place;
  const client = new S3Client({ bucket, region, accessKeyId, secretAccessKey, ...(endpoint !== null && { endpoint }) });
  const folder = prefix === "" ? "" : `${prefix}/`;
  const keyOf = (name: string) => folder + name;
  const asked = answering(endpoint ?? `https://s3.${region}.amazonaws.com`);

  async function* objects(): AsyncGenerator<StoredArchive> {
    let continuationToken: string | undefined;
    do {
      const more = continuationToken !== undefined && { continuationToken };
      const page = await asked(answerMs, client.list({ prefix: folder, ...more }));
      for (const { key, size } of page.contents ?? []) {
        const name = key.slice(folder.length);
        if (timeOfArchive(name) !== null) yield { name, bytes: size ?? 0 };
      }
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
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
    place: `s3://${bucket}/${prefix}`,
    create: (name) => createSink(keyOf(name)),
    list: async () => (await Array.fromAsync(objects())).toSorted((a, b) => (a.name < b.name ? 1 : -1)),
    async find(name) {
      if (timeOfArchive(name) === null || !(await asked(answerMs, client.exists(keyOf(name))))) return null;
      const { size } = await asked(answerMs, client.stat(keyOf(name)));
      return { bytes: size, path: null, stream: () => client.file(keyOf(name)).stream() };
    },
    remove: (name) => asked(answerMs, client.delete(keyOf(name))),
    async sweep() {},
  };
}

/** Bun's message for every failure below HTTP; only the code identifies the failure. */
const unexplained = "an unexpected error has occurred";

/** Waits for a response of the service with a timeout, and explains a missing one. */
function answering(endpoint: string) {
  return async function asked<T>(ms: number, work: Promise<T>): Promise<T> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`${endpoint} did not respond within ${ms / 1000} seconds`)), ms);
    try {
      return await Promise.race([work, tooLate]);
    } catch (cause) {
      const { message, code } = cause as Error & { code?: string };
      if (message !== unexplained) throw cause;
      throw Object.assign(new Error(`${endpoint} is unreachable (${code})`, { cause }), { code });
    } finally {
      clearTimeout(timer);
    }
  };
}
