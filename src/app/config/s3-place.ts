import type { S3Place } from "../../platform/blobs/place.ts";

export type S3Settings = {
  endpoint: string | null;
  region: string;
  accessKeyId: string | null;
  secretAccessKey: string | null;
};

export const defaultRegion = "us-east-1";

/**
 * The place that s3://BUCKET/PREFIX stands for. Throws a RangeError for another URL; `expected` says what the option
 * accepts.
 */
export function s3Place(url: string, settings: S3Settings, expected: string, missingKey: string): S3Place {
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) throw new RangeError(wrongPlace(url, expected));
  const { accessKeyId, secretAccessKey, endpoint, region } = settings;
  if (accessKeyId === null || secretAccessKey === null) throw new RangeError(missingKey);
  return {
    ...{ kind: "s3", bucket, endpoint, region, accessKeyId, secretAccessKey },
    prefix: prefix.replace(/^\/+|\/+$/g, ""),
  };
}

function wrongPlace(url: string, expected: string): string {
  const bucket = /^s3:\/\/([^/]+)/.exec(url)?.[1];
  if (bucket === undefined) return `Expected ${expected}, got "${url}".`;
  // Amazon S3, "General purpose bucket naming rules".
  return `Expected a bucket name of 3 to 63 lowercase letters, digits, dots, and hyphens that starts and ends with a letter or digit, got "${bucket}".`;
}
