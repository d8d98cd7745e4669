import { Type, type Static } from "@sinclair/typebox";

/** Version of the archive layout. Increment when older versions cannot read new archives. */
export const archiveFormat = 1;

/** Names of members of an archive. */
export const memberNames = { database: "outreachd.db", manifest: "manifest.json", sums: "SHA256SUMS" } as const;

const AppliedMigration = Type.Object({ number: Type.Integer(), name: Type.String(), hash: Type.String() });
export type AppliedMigration = Static<typeof AppliedMigration>;

const ArchiveMember = Type.Object({ name: Type.String(), size: Type.Integer({ minimum: 0 }), sha256: Type.String() });
export type ArchiveMember = Static<typeof ArchiveMember>;

/** A file that a row references but the archive lacks, because it was gone or changed while it was read. */
const MissingFile = Type.Object({
  name: Type.String(),
  reason: Type.Union([Type.Literal("gone"), Type.Literal("changed")]),
});
export type MissingFile = Static<typeof MissingFile>;

/** Newest audit log entry in the archive and its hash, against which the live log can be verified later. */
const AuditEnd = Type.Object({ lastId: Type.Integer(), lastHash: Type.String() });
export type AuditEnd = Static<typeof AuditEnd>;

/** Description of an archive. The checksums in `SHA256SUMS`, which follows it, reveal damage to any single byte. */
export const Manifest = Type.Object({
  format: Type.Integer(),
  version: Type.String({ description: "Version of the program that created the archive." }),
  createdAt: Type.String(),
  migrations: Type.Array(AppliedMigration),
  audit: Type.Optional(AuditEnd),
  members: Type.Array(ArchiveMember, { description: "In archive order, without the manifest itself." }),
  missing: Type.Array(MissingFile),
});
export type Manifest = Static<typeof Manifest>;

const nameForm = /^outreachd-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z(?:-([0-9a-f]{8}))?\.tar\.zst$/;

/** `outreachd-20260105T100000000Z-0a1b2c3d.tar.zst`: sorts by time and identifies the installation that created it. */
export function archiveName(at: number, installation: string): string {
  return `outreachd-${new Date(at).toISOString().replaceAll(/[-:.]/g, "")}-${installation}.tar.zst`;
}

/** Start time of the archive with this name; null if the name does not follow `archiveName`. */
export function timeOfArchive(name: string): number | null {
  const [, year, month, day, hour, minute, second, ms] = nameForm.exec(name) ?? [];
  if (year === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(at) ? null : at;
}

/** ID of the installation that created the archive; null for names from versions without IDs. */
export function installationOfArchive(name: string): string | null {
  return nameForm.exec(name)?.[8] ?? null;
}

export const BackupInput = Type.Object({
  prune: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        "Delete this server's oldest backups beyond `backup-keep` afterward. Backups of other servers are kept.",
    }),
  ),
});

const instant = Type.String({ format: "date-time" });
const bytes = Type.Integer({ minimum: 0 });

export const BackupView = Type.Object(
  {
    name: Type.String({
      description: "File name, which contains the creation time and the ID of the server that created the backup.",
    }),
    createdAt: instant,
    bytes,
    isOwn: Type.Boolean({
      description:
        "Whether this server created the backup. Backups of other servers that share the destination, and of versions without server IDs, are deleted only on request.",
    }),
  },
  { $id: "Backup", description: "A completed backup." },
);
export type BackupView = Static<typeof BackupView>;

export const BackupRunView = Type.Object(
  {
    name: Type.String(),
    status: Type.Union([Type.Literal("running"), Type.Literal("completed"), Type.Literal("failed")]),
    startedAt: instant,
    endedAt: Type.Union([instant, Type.Null()]),
    progress: Type.Number({ minimum: 0, maximum: 100 }),
    bytes: Type.Union([bytes, Type.Null()], {
      description: "Size of the archive. null until the backup is completed.",
    }),
    missing: Type.Array(MissingFile, {
      description: "Files missing from the archive because they were deleted or changed during the backup.",
    }),
    message: Type.String(),
  },
  { $id: "BackupRun", description: "Status of a backup run." },
);
export type BackupRunView = Static<typeof BackupRunView>;

export const BackupList = Type.Object({
  backups: Type.Array(BackupView, { description: "All backups in the destination, newest first." }),
  running: Type.Union([BackupRunView, Type.Null()]),
  last: Type.Union([BackupRunView, Type.Null()], {
    description: "Last backup run that ended since the server started or, with several nodes, on any of them.",
  }),
  place: Type.String({ description: "Backup destination: a directory on the server or an S3 bucket." }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: "Why the destination cannot be read or written, and what to do. null if it is available.",
  }),
  schedule: Type.Union([Type.String(), Type.Null()], {
    description: "Cron pattern in UTC. null if no backups are scheduled.",
  }),
  keep: Type.Integer({ description: "Number of backups that this server keeps." }),
});
export type BackupList = Static<typeof BackupList>;
