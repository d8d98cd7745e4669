import { S3Client, type S3ListObjectsResponse } from "bun";
import type { S3Place } from "../../platform/blobs/place.ts";

/**
 * Timeouts of a response, and of the upload of a part. If a service accepts connections but never responds, Bun gives
 * up only after 6 to 25 minutes, depending on the request (observed with 1.4.5). Everything that needs the service
 * would wait that long. 15 minutes: two parts at 300 kbit/s.
 */
export const s3Patience = { answerMs: 60_000, partMs: 15 * 60_000 };
export type S3Patience = typeof s3Patience;

export type S3Object = { key: string; bytes: number; changedAt: number };

/** A bucket as seen through a prefix. */
export type S3Bucket = {
  client: S3Client;
  /** As the operator wrote it: s3://BUCKET/PREFIX. */
  place: string;
  /** The prefix with a slash at its end; "" without a prefix. */
  folder: string;
  endpoint: string;
  /** Waits for a response with a timeout; null = none. Throws `NoAnswer` if there is none. */
  asked<T>(ms: number | null, work: Promise<T>): Promise<T>;
  /** All objects whose keys start with `prefix`, page by page. */
  objects(prefix: string, answerMs: number): AsyncGenerator<S3Object, void, void>;
};

/** The service did not respond, or cannot be reached. `code` is Bun's, if there is one. */
export class NoAnswer extends Error {
  readonly code: string | undefined;

  constructor(message: string, options: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

export function openBucket({ bucket, prefix, endpoint, region, accessKeyId, secretAccessKey }: S3Place): S3Bucket {
  const client = new S3Client({ bucket, region, accessKeyId, secretAccessKey, ...(endpoint !== null && { endpoint }) });
  const shownEndpoint = endpoint ?? `https://s3.${region}.amazonaws.com`;
  const asked = answering(shownEndpoint);

  async function* objects(keyPrefix: string, answerMs: number): AsyncGenerator<S3Object, void, void> {
    let continuationToken: string | undefined;
    do {
      const more = continuationToken !== undefined && { continuationToken };
      const page: S3ListObjectsResponse = await asked(answerMs, client.list({ prefix: keyPrefix, ...more }));
      for (const { key, size, lastModified } of page.contents ?? [])
        yield { key, bytes: size ?? 0, changedAt: Date.parse(lastModified ?? "") || 0 };
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
  }

  return {
    client,
    place: `s3://${bucket}/${prefix}`,
    folder: prefix === "" ? "" : `${prefix}/`,
    endpoint: shownEndpoint,
    asked,
    objects,
  };
}

export function noAnswerWithin(endpoint: string, ms: number): NoAnswer {
  return new NoAnswer(`${endpoint} did not respond within ${ms / 1000} seconds`);
}

/** Bun's message for every failure below HTTP; only the code identifies the failure. */
const unexplained = "an unexpected error has occurred";

function answering(endpoint: string) {
  return async function asked<T>(ms: number | null, work: Promise<T>): Promise<T> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = ms === null ? undefined : setTimeout(() => reject(noAnswerWithin(endpoint, ms)), ms);
    try {
      return await Promise.race([work, tooLate]);
    } catch (cause) {
      const { message, code } = cause as Error & { code?: string };
      if (message !== unexplained) throw cause;
      throw new NoAnswer(`${endpoint} is unreachable (${code})`, { code, cause });
    } finally {
      clearTimeout(timer);
    }
  };
}
