import type { AppliedMigration, AuditEnd } from "./model.ts";

/** A consistent view of the database at one point in time, regardless of concurrent writes. */
export type Snapshot = {
  bytes: number;
  migrations: AppliedMigration[];
  audit: AuditEnd;
  /** The whole file, in order. Each piece is valid until the next one is requested. */
  pieces(): Iterable<Uint8Array>;
  /**
   * Names of the blobs that its rows reference. Blobs that are not `required` may be absent and are recreated on
   * demand.
   */
  blobs(): Iterable<NamedBlob>;
  /** Releases the snapshot. Must be called only once. */
  close(): void;
};

export type NamedBlob = { name: string; required: boolean };

/** A database on a server, and how to connect to it. */
export type ServerDatabase = {
  url: string;
  /** The URL without the password. */
  shown: string;
  /** Whether statements may be prepared. */
  prepare: boolean;
  /** Whether sessions take settings at their start, which some poolers refuse. */
  hasSettings: boolean;
};
