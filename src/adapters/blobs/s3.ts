import type { BlobContent, StoredBlob } from "../../platform/blobs/model.ts";
import {
  BlobFault,
  BlobTooLarge,
  type BlobFaultCode,
  type BlobStore,
  type ByteStream,
  type LocalFile,
} from "../../platform/blobs/blob-store.ts";
import type { S3Place } from "../../platform/blobs/place.ts";
import { EtagSum } from "./etag.ts";
import { NoAnswer, noAnswerWithin, openBucket, s3Patience, type S3Patience } from "./s3-bucket.ts";
import type { Scratch } from "./scratch.ts";

/** S3 requires at least 5 MiB. Up to 2 parts of an upload are in memory. */
const leastPartBytes = 8 * 2 ** 20;
/** API reference, "Amazon S3 multipart upload limits". */
const mostParts = 10_000;
/** Downloads ask for ranges of this size, so that they take constant memory and a slow reader times nothing out. */
const rangeBytes = 4 * 2 ** 20;
/** How long a load balancer waits for a probe, or less. */
const checkMs = 4_000;
/** Enough for the recently used files of a speech cache. */
const mostTouched = 10_000;

type Head = { bytes: number; etag: string };

/**
 * Stores blobs as objects in a bucket that other processes may use too. An object exists only once it is complete.
 * Without scratch space, `localFile` throws.
 */
export function createS3Blobs(
  place: S3Place,
  scratch: Scratch | null,
  { answerMs, partMs }: S3Patience = s3Patience,
): BlobStore {
  const bucket = openBucket(place);
  const { client, folder, asked } = bucket;
  const keyOf = (name: string) => folder + name;
  /** Objects have no time of last use; this process remembers what it has used itself. */
  const touched = new Map<string, number>();

  async function receive(name: string, stream: ByteStream, maxBytes: number): Promise<number> {
    const partSize = Math.max(leastPartBytes, Math.ceil(maxBytes / mostParts));
    const sum = new EtagSum(partSize);
    const hash = new Bun.CryptoHasher("sha256");
    const stall = new Stall(partMs, bucket.endpoint);
    let bytes = 0;
    let broken: { error: unknown } | null = null;
    async function* content(): AsyncGenerator<Uint8Array, void, void> {
      try {
        for await (const chunk of (stream ?? []) as AsyncIterable<Uint8Array>) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) throw new BlobTooLarge(`More than ${maxBytes} bytes`);
          sum.add(chunk);
          hash.update(chunk);
          stall.watch();
          yield chunk;
          stall.pause();
        }
        stall.watch();
      } catch (error) {
        broken = { error };
        throw error;
      }
    }
    const source = content();
    try {
      const options = { partSize, queueSize: 2, retry: 3, type: "application/octet-stream" };
      const sent = asked(null, client.write(keyOf(name), responseOf(source), options));
      await Promise.race([sent, stall.noticed]);
    } catch (error) {
      // Bun has aborted the upload. What it did not read must not wait to be read.
      void source.return().catch(() => {});
      if (broken !== null) throw (broken as { error: unknown }).error;
      return await findReason(error, keyOf(name));
    } finally {
      stall.pause();
    }
    scratch?.forget(name);
    await verify(name, { bytes, etag: sum.etag(), sha256: hash.digest("hex") });
    return bytes;
  }

  /** With encryption by a key of the customer, an ETag is no checksum; then the object is read back. */
  async function verify(name: string, sent: Head & { sha256: string }): Promise<void> {
    const stored = await head(name);
    if (stored !== null && stored.bytes === sent.bytes) {
      if (stored.etag === sent.etag) return;
      const hash = new Bun.CryptoHasher("sha256");
      for await (const piece of pieces(name, 0, stored.bytes)) hash.update(piece);
      if (hash.digest("hex") === sent.sha256) return;
    }
    await asked(answerMs, client.delete(keyOf(name)));
    throw new Error(`Expected ${name} to be stored as it was sent (${sent.bytes} bytes), got ${stored?.bytes} bytes`);
  }

  /** Null if the object does not exist. */
  async function head(name: string): Promise<Head | null> {
    try {
      const { size, etag } = await asked(answerMs, client.stat(keyOf(name)));
      return { bytes: size, etag: etag.replaceAll('"', "") };
    } catch (error) {
      if ((error as { code?: string }).code !== "NoSuchKey") return await findReason(error, keyOf(name));
      // The response to HEAD does not say whether it is the bucket that is missing.
      await asked(answerMs, client.list({ prefix: keyOf(name), maxKeys: 1 }));
      return null;
    }
  }

  /** Throws the reason of an error for which the service gave none, if a list reveals it; otherwise, the error itself. */
  async function findReason(error: unknown, prefix: string): Promise<never> {
    if ((error as { code?: string }).code === "UnknownError")
      await asked(answerMs, client.list({ prefix, maxKeys: 1 }));
    throw error;
  }

  async function* pieces(name: string, start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    for (let at = start; at < end; at += rangeBytes) {
      const length = Math.min(rangeBytes, end - at);
      const piece = await asked(
        partMs,
        client
          .file(keyOf(name))
          .slice(at, at + length)
          .bytes(),
      );
      if (piece.length !== length) throw new Error(`Expected ${length} bytes of ${name}, got ${piece.length}`);
      yield piece;
    }
  }

  async function localFile(name: string): Promise<LocalFile> {
    if (scratch === null) throw new Error("Expected scratch space for local files, got none");
    const found = await head(name);
    if (found === null) return { path: scratch.absentPath, [Symbol.dispose]() {} };
    const { bytes, etag } = found;
    async function* unchanged(): AsyncGenerator<Uint8Array, void, void> {
      yield* pieces(name, 0, bytes);
      if ((await head(name))?.etag !== etag) throw new Error(`${name} was replaced while it was read`);
    }
    return await scratch.copyOf({ name, version: etag, bytes }, unchanged);
  }

  async function find(name: string): Promise<BlobContent | null> {
    const found = await head(name);
    return found && { bytes: found.bytes, body: (start, end) => streamOf(pieces(name, start, end)) };
  }

  async function list(prefix: string): Promise<StoredBlob[]> {
    const blobs: StoredBlob[] = [];
    for await (const { key, bytes, changedAt } of bucket.objects(keyOf(prefix), answerMs)) {
      const name = key.slice(folder.length);
      blobs.push({ name, bytes, changedAt: Math.max(changedAt, touched.get(name) ?? 0) });
    }
    return blobs;
  }

  async function touch(name: string, at: number): Promise<boolean> {
    touched.delete(name);
    if ((await head(name)) === null) return false;
    touched.set(name, at);
    const [oldest] = touched.keys();
    if (touched.size > mostTouched && oldest !== undefined) touched.delete(oldest);
    return true;
  }

  async function remove(name: string): Promise<void> {
    touched.delete(name);
    scratch?.forget(name);
    await asked(answerMs, client.delete(keyOf(name)));
  }

  async function check(): Promise<void> {
    await asked(checkMs, client.list({ prefix: folder, maxKeys: 1 }));
  }

  return {
    isShared: true,
    receive: explained(receive),
    localFile: explained(localFile),
    find: explained(find),
    list: explained(list),
    touch: explained(touch),
    remove: explained(remove),
    check: explained(check),
  };
}

/** Notices that the service accepts nothing more of an upload. A client that sends nothing for a while is no stall. */
class Stall {
  readonly noticed: Promise<never>;
  readonly #start: () => ReturnType<typeof setTimeout>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, endpoint: string) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.noticed = promise;
    promise.catch(() => {}); // read only while the upload is running
    this.#start = () => setTimeout(() => reject(noAnswerWithin(endpoint, ms)), ms);
  }

  watch(): void {
    this.pause();
    this.#timer = this.#start();
  }

  pause(): void {
    clearTimeout(this.#timer);
  }
}

/** Bun reads an async iterable at the pace of the upload, and aborts the upload if it throws. */
function responseOf(content: AsyncIterable<Uint8Array>): Response {
  return new Response(content as unknown as ReadableStream<Uint8Array>);
}

function streamOf(content: AsyncGenerator<Uint8Array, void, void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await content.next().catch((error: unknown) => {
        throw faultOf(error);
      });
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await content.return();
    },
  });
}

/** API reference, "Error responses", and what MinIO and Garage call the same. */
const codes: Partial<Record<string, BlobFaultCode>> = {
  NoSuchBucket: "BLOBS_NO_BUCKET",
  InvalidBucketName: "BLOBS_NO_BUCKET",
  AuthorizationHeaderMalformed: "BLOBS_WRONG_REGION",
  IllegalLocationConstraintException: "BLOBS_WRONG_REGION",
  InvalidRegion: "BLOBS_WRONG_REGION",
  PermanentRedirect: "BLOBS_WRONG_REGION",
  TemporaryRedirect: "BLOBS_WRONG_REGION",
  AccessDenied: "BLOBS_REFUSED",
  AccountProblem: "BLOBS_REFUSED",
  AllAccessDisabled: "BLOBS_REFUSED",
  ExpiredToken: "BLOBS_REFUSED",
  Forbidden: "BLOBS_REFUSED",
  InvalidAccessKeyId: "BLOBS_REFUSED",
  InvalidSecurity: "BLOBS_REFUSED",
  InvalidToken: "BLOBS_REFUSED",
  NotSignedUp: "BLOBS_REFUSED",
  RequestTimeTooSkewed: "BLOBS_REFUSED",
  SignatureDoesNotMatch: "BLOBS_REFUSED",
};

/** Turns errors of the service into `BlobFault`. */
function explained<Args extends unknown[], T>(ask: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  return async (...args) => {
    try {
      return await ask(...args);
    } catch (error) {
      throw faultOf(error);
    }
  };
}

function faultOf(error: unknown): unknown {
  if (error instanceof NoAnswer) return new BlobFault("BLOBS_UNREACHABLE", error.message, error);
  if (!(error instanceof Error) || error.name !== "S3Error") return error;
  const code = (error as { code?: string }).code ?? "";
  if (code === "NoSuchKey") return error; // removed while it was read
  const reason = error.message === code ? code : `${code}: ${error.message}`;
  return new BlobFault(codes[code] ?? "BLOBS_UNREACHABLE", reason, error);
}
