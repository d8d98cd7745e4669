/** Whether an archive belongs to this server, judging by its name: other servers may use the same destination. */
export type OwnArchives = (name: string) => boolean;

/** An archive that is being written. It becomes visible only once it is complete. */
export type ArchiveSink = {
  /** Resolves when there is room for more. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the archive durable and gives it its name. Never replaces an existing archive. */
  complete(): Promise<void>;
  /** Removes everything written so far. Never rejects. */
  discard(): Promise<void>;
};

export type StoredArchive = { name: string; bytes: number };

/** Storage for backups. Names follow `archiveName`; other files are ignored. */
export type ArchiveStore = {
  /** Human-readable destination: a directory or a bucket. */
  readonly place: string;
  create(name: string): Promise<ArchiveSink>;
  /** Newest first. */
  list(): Promise<StoredArchive[]>;
  /** Null if the archive does not exist. `path` is its local path, if it is stored locally. */
  find(name: string): Promise<{ bytes: number; path: string | null; stream(): ReadableStream<Uint8Array> } | null>;
  /** Does nothing if the archive does not exist. */
  remove(name: string): Promise<void>;
  /**
   * Removes incomplete archives of this server left by interrupted writers. Other servers may still be writing theirs.
   */
  sweep(isOwn: OwnArchives): Promise<void>;
};
