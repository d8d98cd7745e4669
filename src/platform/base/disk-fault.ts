/** A disk that takes no writes, or has lost some, in words for those who meet it. */
export type DiskFault = {
  kind: "full" | "readOnly" | "failing" | "damaged";
  /** What is wrong, as half a sentence: "Not ready: the disk is full." */
  words: string;
  /** For a client, who can only wait: full sentences without internals. */
  message: string;
  /** For the operator: the way out, as a full sentence. */
  hint: string;
};

const faults: Record<DiskFault["kind"], DiskFault> = {
  full: {
    kind: "full",
    words: "the disk is full",
    message: "The server's disk is full, so nothing can be stored. Try again when its operator has made room.",
    hint: "Make room on the disk or raise the quota.",
  },
  readOnly: {
    kind: "readOnly",
    words: "the disk or a file on it can't be written to",
    message: "The server's disk is read-only, so nothing can be stored. Try again when its operator has changed that.",
    hint: "Check how the disk is mounted, its free inodes, and owner and permissions of the directory and its files.",
  },
  failing: {
    kind: "failing",
    words: "the disk does not work as it should",
    message:
      "The server's disk does not work, so nothing can be stored. Try again when its operator has looked after it.",
    hint: "Check how the disk is mounted, its quota, the limit on file sizes (ulimit -f) and the system's log for its errors.",
  },
  damaged: {
    kind: "damaged",
    words: "the database is damaged: run `outreachd doctor`, then `outreachd restore`",
    message:
      "The server's database is damaged. Nothing is stored until its operator has checked it (`outreachd doctor`) and restored a backup (`outreachd restore`).",
    hint: "Check it with `outreachd doctor`, then restore a backup: outreachd restore FILE --replace.",
  },
};

/**
 * Tells faults of the disk from faults of ours, by the codes of the operating system and of SQLite; also where it is
 * the cause of another error. Null for everything else.
 */
export function diskFaultOf(error: unknown): DiskFault | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const kind = kindOf(each);
    if (kind !== null) return faults[kind];
  }
  return null;
}

function kindOf(error: Error): DiskFault["kind"] | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // SHMSIZE: there was no room for the index of the write-ahead log.
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(code)) return "full";
  if (/^(EROFS|SQLITE_READONLY.*|SQLITE_CANTOPEN.*|SQLITE_PERM)$/.test(code)) return "readOnly";
  // A port or a process may be denied as well; only errors of the file system name a path.
  if (/^(EACCES|EPERM)$/.test(code)) return "path" in error ? "readOnly" : null;
  if (/^(SQLITE_CORRUPT.*|SQLITE_NOTADB|SQLITE_IOERR_(READ|SHORT_READ|DATA|CORRUPTFS))$/.test(code)) return "damaged";
  // SQLite keeps to itself whether it was a quota, a limit or the disk.
  return /^(EIO|EFBIG|SQLITE_IOERR.*)$/.test(code) ? "failing" : null;
}
