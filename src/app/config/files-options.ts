import type { S3Place } from "../../platform/blobs/place.ts";
import { defaultRegion, s3Place, type S3Settings } from "./s3-place.ts";
import type { Option, Problem } from "./sources.ts";
import { baseUrl, showSize, size, text } from "./values.ts";

/** Options of stored files; part of `serverOptions`. */
export const filesOptions = {
  files: option<string | null>({
    argument: "PLACE",
    parse: text,
    default: null,
    description:
      "Where recordings, trained voices, cached speech, and files to import are stored: s3://BUCKET/PREFIX. No other installation may use the same prefix. Default: the data directory.",
  }),
  filesScratchBytes: option({
    argument: "SIZE",
    parse: size(1024, 2 ** 50),
    default: 4 * 2 ** 30,
    show: showSize,
    description:
      "Maximum space in the data directory for copies of files that are stored in S3 while they are in use, and as much again for files that requests send, such as previews of workbooks. Must hold the largest file to import.",
  }),
  s3Endpoint: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL of the S3 service. Default: Amazon S3 in the region.",
  }),
  s3Region: option({
    argument: "REGION",
    parse: text,
    default: defaultRegion,
    description: "Region of the S3 bucket.",
  }),
  s3AccessKeyId: secret("Access key ID for the S3 service."),
  s3SecretAccessKey: secret("Secret access key for the S3 service."),
};

export type FilesConfig = Readonly<{
  /** Null = in the data directory. */
  place: S3Place | null;
  scratchBytes: number;
}>;

type Values = {
  files: string | null;
  filesScratchBytes: number;
  s3Endpoint: string | null;
  s3Region: string;
  s3AccessKeyId: string | null;
  s3SecretAccessKey: string | null;
  maxImportBytes: number;
  simulate: boolean;
};

/** Splits the values of these options off from all values. `s3`: for other options that fall back to them. */
export function filesConfig<T extends Values>(values: T) {
  const {
    files: url,
    filesScratchBytes: scratchBytes,
    s3Endpoint: endpoint,
    s3Region: region,
    s3AccessKeyId: accessKeyId,
    s3SecretAccessKey: secretAccessKey,
    ...rest
  } = values;
  const problems: Problem[] = [];
  const s3: S3Settings = { endpoint, region, accessKeyId, secretAccessKey };
  const files: FilesConfig = Object.freeze({ place: url === null ? null : placeOf(url), scratchBytes });
  return { files, s3, rest, problems };

  function placeOf(given: string): S3Place | null {
    if (values.simulate)
      problems.push({ option: "files", message: "A simulation stores its files in its data directory. Remove files." });
    if (scratchBytes < values.maxImportBytes) {
      const message = `Expected at least max-import-bytes (${showSize(values.maxImportBytes)}), got ${showSize(scratchBytes)}.`;
      problems.push({ option: "files-scratch-bytes", message });
    }
    try {
      return s3Place(given, s3, "s3://BUCKET/PREFIX", missingKey);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ option: "files", message: error.message });
      return null;
    }
  }
}

const missingKey =
  "Files in S3 need an access key: set OUTREACHD_S3_ACCESS_KEY_ID and OUTREACHD_S3_SECRET_ACCESS_KEY (or …_FILE).";

function secret(description: string): Option<string | null> {
  return { argument: "KEY", parse: text, default: null, secret: true, description };
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
