import { Type, type Static } from "@sinclair/typebox";

/** How archives are laid out; counts up when a reader of before could not read them. */
export const archiveFormat = 1;

/** Names of members of an archive. */
export const memberNames = { database: "outreachd.db", manifest: "manifest.json", sums: "SHA256SUMS" } as const;

const AppliedMigration = Type.Object({ number: Type.Integer(), name: Type.String(), hash: Type.String() });
export type AppliedMigration = Static<typeof AppliedMigration>;

const ArchiveMember = Type.Object({ name: Type.String(), size: Type.Integer({ minimum: 0 }), sha256: Type.String() });
export type ArchiveMember = Static<typeof ArchiveMember>;

/** A file that a row names and the archive does not have: it was gone, or changed while it was read. */
const MissingFile = Type.Object({
  name: Type.String(),
  reason: Type.Union([Type.Literal("gone"), Type.Literal("changed")]),
});
export type MissingFile = Static<typeof MissingFile>;

/** The newest entry of the audit log in it, and its hash: what a later check of the live log may be held against. */
const AuditEnd = Type.Object({ lastId: Type.Integer(), lastHash: Type.String() });
export type AuditEnd = Static<typeof AuditEnd>;

/** What an archive says of itself; by the sums in `SHA256SUMS` behind it, damage to a single byte is found. */
export const Manifest = Type.Object({
  format: Type.Integer(),
  version: Type.String({ description: "Of the program that made it." }),
  createdAt: Type.String(),
  migrations: Type.Array(AppliedMigration),
  audit: Type.Optional(AuditEnd),
  members: Type.Array(ArchiveMember, { description: "In the order of the archive, without the manifest itself." }),
  missing: Type.Array(MissingFile),
});
export type Manifest = Static<typeof Manifest>;

const nameForm = /^outreachd-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z(?:-([0-9a-f]{8}))?\.tar\.zst$/;

/** `outreachd-20260105T100000000Z-0a1b2c3d.tar.zst`: sorts by time, and tells which installation made it. */
export function archiveName(at: number, installation: string): string {
  return `outreachd-${new Date(at).toISOString().replaceAll(/[-:.]/g, "")}-${installation}.tar.zst`;
}

/** When an archive of that name was begun; null for a name that is none of ours. */
export function timeOfArchive(name: string): number | null {
  const [, year, month, day, hour, minute, second, ms] = nameForm.exec(name) ?? [];
  if (year === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(at) ? null : at;
}

/** The id of the installation that made an archive of that name; null for a name of before there were ids. */
export function installationOfArchive(name: string): string | null {
  return nameForm.exec(name)?.[8] ?? null;
}

export const BackupInput = Type.Object({
  prune: Type.Optional(
    Type.Boolean({
      default: true,
      description: "Afterwards delete this server's oldest ones beyond `backup-keep`. Those of others stay.",
    }),
  ),
});

const instant = Type.String({ format: "date-time" });
const bytes = Type.Integer({ minimum: 0 });

export const BackupView = Type.Object(
  {
    name: Type.String({ description: "Begins with the time; behind it the id of the server that made it." }),
    createdAt: instant,
    bytes,
    isOwn: Type.Boolean({
      description:
        "This server made it. Others, of servers that use the same place or of a version that named them without an id, are never deleted unless somebody asks.",
    }),
  },
  { $id: "Backup", description: "A backup that can be downloaded." },
);
export type BackupView = Static<typeof BackupView>;

export const BackupRunView = Type.Object(
  {
    name: Type.String(),
    status: Type.Union([Type.Literal("running"), Type.Literal("completed"), Type.Literal("failed")]),
    startedAt: instant,
    endedAt: Type.Union([instant, Type.Null()]),
    progress: Type.Number({ minimum: 0, maximum: 100 }),
    bytes: Type.Union([bytes, Type.Null()], { description: "Of the archive, once it is complete." }),
    missing: Type.Array(MissingFile, {
      description: "Files that rows name but the archive does not have: deleted or changed while it was made.",
    }),
    message: Type.String(),
  },
  { $id: "BackupRun", description: "The making of a backup, and how it went." },
);
export type BackupRunView = Static<typeof BackupRunView>;

export const BackupList = Type.Object({
  backups: Type.Array(BackupView, { description: "All of the place, newest first." }),
  running: Type.Union([BackupRunView, Type.Null()]),
  last: Type.Union([BackupRunView, Type.Null()], { description: "The last one that ended since the server started." }),
  place: Type.String({ description: "Where backups go: a directory of the server, or an S3 bucket." }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description:
      "Why backups can't be seen or put there, and the way out, for the operator; null when nothing speaks against it.",
  }),
  schedule: Type.Union([Type.String(), Type.Null()], { description: "Cron pattern, in UTC." }),
  keep: Type.Integer({ description: "How many of its own the server keeps." }),
});
export type BackupList = Static<typeof BackupList>;
