import type { AppliedMigration, AuditEnd } from "./model.ts";

/** The database as it was at one moment, whatever is written meanwhile. */
export type Snapshot = {
  bytes: number;
  migrations: AppliedMigration[];
  audit: AuditEnd;
  /** All of the file, in order, in pieces that hold until the next one is asked for. */
  pieces(): Iterable<Uint8Array>;
  /** Names of the blobs that its rows name. Not `required` is what is there or not, and made again when it is not. */
  blobs(): Iterable<NamedBlob>;
  /** Lets go of it. Safe to call once. */
  close(): void;
};

export type NamedBlob = { name: string; required: boolean };
