import { Cron } from "croner";
import type { ArchivePlace } from "../../features/backup/place.ts";
import { s3Place, type S3Settings } from "./s3-place.ts";
import type { Option, Problem } from "./sources.ts";
import { baseUrl, text, wholeNumber, type Parse } from "./values.ts";

/** Options of backups; part of `serverOptions`. */
export const backupOptions = {
  backupSchedule: option<string | null>({
    argument: "CRON",
    parse: cronPattern,
    default: null,
    description: 'When to create backups, as a cron pattern in UTC: "15 3 * * *" is 03:15 every night. Default: never.',
  }),
  backupKeep: option({
    argument: "NUMBER",
    parse: wholeNumber(1, 10_000),
    default: 7,
    unit: "backups",
    description: "Number of backups to retain. Older backups by this server are deleted once a new one is complete.",
  }),
  backupTo: option<string | null>({
    argument: "PLACE",
    parse: text,
    default: null,
    description:
      "Destination of backups: a directory, preferably on another disk, or s3://BUCKET/PREFIX. Several servers can share it, and nodes of one installation should. Default: backups in the data directory.",
  }),
  backupS3Endpoint: option<string | null>({
    argument: "URL",
    parse: baseUrl,
    default: null,
    description: "URL of the S3 service for backups. Default: s3-endpoint.",
  }),
  backupS3Region: option<string | null>({
    argument: "REGION",
    parse: text,
    default: null,
    description: "Region of the S3 bucket for backups. Default: s3-region.",
  }),
  backupS3AccessKeyId: secret("Access key ID for the S3 service for backups. Default: s3-access-key-id."),
  backupS3SecretAccessKey: secret("Secret access key for the S3 service for backups. Default: s3-secret-access-key."),
};

export type BackupConfig = Readonly<{
  /** Null = only on request. */
  schedule: string | null;
  keep: number;
  /** Null = in the data directory. */
  place: ArchivePlace | null;
}>;

type Values = {
  backupSchedule: string | null;
  backupKeep: number;
  backupTo: string | null;
  backupS3Endpoint: string | null;
  backupS3Region: string | null;
  backupS3AccessKeyId: string | null;
  backupS3SecretAccessKey: string | null;
};

/** Splits the values of the backup options off from all values. `s3`: settings that those of backups fall back to. */
export function backupConfig<T extends Values>(values: T, s3: S3Settings) {
  const {
    backupSchedule: schedule,
    backupKeep: keep,
    backupTo: to,
    backupS3Endpoint: endpoint,
    backupS3Region: region,
    backupS3AccessKeyId: accessKeyId,
    backupS3SecretAccessKey: secretAccessKey,
    ...rest
  } = values;
  const problems: Problem[] = [];
  const place = placeOf();
  const backup: BackupConfig = Object.freeze({ schedule, keep, place });
  return { backup, rest, problems };

  function placeOf(): ArchivePlace | null {
    if (to === null) return null;
    if (!/^[a-z0-9]+:\/\//i.test(to)) return { kind: "disk", path: to };
    const settings = {
      endpoint: endpoint ?? s3.endpoint,
      region: region ?? s3.region,
      accessKeyId: accessKeyId ?? s3.accessKeyId,
      secretAccessKey: secretAccessKey ?? s3.secretAccessKey,
    };
    try {
      return s3Place(to, settings, "a directory or s3://BUCKET/PREFIX", missingKey);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ option: "backup-to", message: error.message });
      return null;
    }
  }
}

const missingKey =
  "Backups to S3 need an access key: set OUTREACHD_BACKUP_S3_ACCESS_KEY_ID and OUTREACHD_BACKUP_S3_SECRET_ACCESS_KEY (or …_FILE).";

function cronPattern(value: string): ReturnType<Parse<string>> {
  if (!isRecurring(value)) throw new RangeError(`Expected a cron pattern such as "15 3 * * *", got "${value}".`);
  return value;
}

/** Croner also accepts a date, which runs once, and patterns such as February 31, which never run. */
function isRecurring(value: string): boolean {
  try {
    return new Cron(value, { paused: true, utcOffset: 0 }).nextRuns(2).length === 2;
  } catch {
    return false;
  }
}

function secret(description: string): Option<string | null> {
  return { argument: "KEY", parse: text, default: null, secret: true, description };
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
