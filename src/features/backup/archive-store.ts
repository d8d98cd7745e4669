/** Tells by its name whether an archive is one's own: others may keep theirs in the same place. */
export type OwnArchives = (name: string) => boolean;

/** An archive that is being written. It is there for others only once it is complete. */
export type ArchiveSink = {
  /** Resolves when there is room for more. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes it durable and gives it its name; it replaces none. */
  complete(): Promise<void>;
  /** Leaves nothing of it behind. Never rejects. */
  discard(): Promise<void>;
};

export type StoredArchive = { name: string; bytes: number };

/** Where backups are kept. Names are those of `archiveName`; what else lies there is passed over. */
export type ArchiveStore = {
  /** For people: a directory, or a bucket. */
  readonly place: string;
  create(name: string): Promise<ArchiveSink>;
  /** Newest first. */
  list(): Promise<StoredArchive[]>;
  /** Null when there is none of that name. `path` is where it lies on this machine, if it does. */
  find(name: string): Promise<{ bytes: number; path: string | null; stream(): ReadableStream<Uint8Array> } | null>;
  /** Safe to call for a name that is gone. */
  remove(name: string): Promise<void>;
  /** Removes what writers that were cut off have left of archives of one's own; others may be at work on theirs. */
  sweep(isOwn: OwnArchives): Promise<void>;
};
