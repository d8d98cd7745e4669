/**
 * A disk that cannot be written to, or has lost data, a bucket that files cannot be stored in, or a database that cannot
 * be reached, with texts for clients and operators.
 */
export type DiskFault = {
  kind:
    | ("full" | "readOnly" | "failing" | "damaged")
    | ("databaseFull" | "databaseReadOnly" | "databaseUnreachable")
    | ("bucketMissing" | "bucketElsewhere" | "bucketRefused" | "bucketUnreachable" | "scratchFull");
  /** The problem in lower case, for use after a colon: "Not ready: the disk is full." */
  words: string;
  /** For clients, who can only wait: full sentences without internals. */
  message: string;
  /** For the operator: what to do, as a full sentence. */
  hint: string;
};

const misconfigured =
  "The server's file storage is not set up correctly, so files cannot be read or stored. Try again after its operator has fixed it.";

const faults: Record<DiskFault["kind"], DiskFault> = {
  full: {
    kind: "full",
    words: "the disk is full",
    message: "The server's disk is full, so nothing can be stored. Try again after its operator has freed up space.",
    hint: "Free up disk space or raise the quota.",
  },
  readOnly: {
    kind: "readOnly",
    words: "the disk or a file on it is not writable",
    message:
      "The server's disk is read-only, so nothing can be stored. Try again after its operator has made it writable.",
    hint: "Check the mount options, the free inodes, and the owner and permissions of the directory and its files.",
  },
  failing: {
    kind: "failing",
    words: "the disk is failing",
    message: "The server's disk is failing, so nothing can be stored. Try again after its operator has fixed it.",
    hint: "Check the mount options, the quota, the file size limit (ulimit -f), and the system log for disk errors.",
  },
  damaged: {
    kind: "damaged",
    words: "the database is damaged: run `outreachd doctor`, then `outreachd restore`",
    message:
      "The server's database is damaged. Nothing can be stored until its operator has checked it (`outreachd doctor`) and restored a backup (`outreachd restore`).",
    hint: "Check it with `outreachd doctor`, then restore a backup: outreachd restore FILE --replace.",
  },
  databaseFull: {
    kind: "databaseFull",
    words: "the disk of the database is full or failing",
    message: "The server's database cannot store anything. Try again after its operator has freed up space.",
    hint: "Free up space on the machine of PostgreSQL, and check its log.",
  },
  databaseReadOnly: {
    kind: "databaseReadOnly",
    words: "the database is read-only",
    message: "The server's database is read-only, so nothing can be stored. Try again soon.",
    hint: "After a failover, check where the host name of the database points: it must be the primary server.",
  },
  databaseUnreachable: {
    kind: "databaseUnreachable",
    words: "the database cannot be reached",
    message: "The server's database is unavailable. Try again soon.",
    hint: "Check that PostgreSQL is running and accepts connections. The server reconnects by itself.",
  },
  bucketMissing: {
    kind: "bucketMissing",
    words: "the bucket for files does not exist",
    message: misconfigured,
    hint: "Create the bucket, or correct its name in the option files.",
  },
  bucketElsewhere: {
    kind: "bucketElsewhere",
    words: "the bucket for files is in another region",
    message: misconfigured,
    hint: "Set the option s3-region to the region of the bucket.",
  },
  bucketRefused: {
    kind: "bucketRefused",
    words: "the S3 service refused the access key for files",
    message: misconfigured,
    hint: "Check s3-access-key-id and s3-secret-access-key, and that this key may list, read, write, and delete objects.",
  },
  bucketUnreachable: {
    kind: "bucketUnreachable",
    words: "the S3 service for files is unavailable",
    message: "The server's file storage is unavailable. Try again soon.",
    hint: "Check the S3 service, the network, and the option s3-endpoint.",
  },
  scratchFull: {
    kind: "scratchFull",
    words: "the scratch space for files is full",
    message: "The server has no room to work on files. Try again soon.",
    hint: "Free up space on the disk of the data directory, or raise the option files-scratch-bytes.",
  },
};

/** By the codes of `BlobFault`. */
const bucketFaults: Partial<Record<string, DiskFault["kind"]>> = {
  BLOBS_NO_BUCKET: "bucketMissing",
  BLOBS_WRONG_REGION: "bucketElsewhere",
  BLOBS_REFUSED: "bucketRefused",
  BLOBS_UNREACHABLE: "bucketUnreachable",
  BLOBS_NO_SCRATCH: "scratchFull",
};

/**
 * Detects disk faults by the error codes of the operating system, of SQLite, of PostgreSQL and its driver, and of `BlobFault`, including those in the `cause` of another
 * error. Null for all other errors.
 */
export function diskFaultOf(error: unknown): DiskFault | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const kind = kindOf(each);
    if (kind !== null) return faults[kind];
    if ("query" in each && isLostConnection(each.cause)) return faults.databaseUnreachable;
  }
  return null;
}

function kindOf(error: Error): DiskFault["kind"] | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // SHMSIZE: no space for the index of the write-ahead log.
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(code)) return "full";
  if (/^(EROFS|SQLITE_READONLY.*|SQLITE_CANTOPEN.*|SQLITE_PERM)$/.test(code)) return "readOnly";
  // Access to a port or a process can be denied too, but only file system errors have a path.
  if (/^(EACCES|EPERM)$/.test(code)) return "path" in error ? "readOnly" : null;
  if (/^(SQLITE_CORRUPT.*|SQLITE_NOTADB|SQLITE_IOERR_(READ|SHORT_READ|DATA|CORRUPTFS))$/.test(code)) return "damaged";
  // SQLite does not reveal whether the cause was a quota, a limit, or the disk.
  if (/^(EIO|EFBIG|SQLITE_IOERR.*)$/.test(code)) return "failing";
  // Appendix A of PostgreSQL's manual, and the codes of the driver.
  if (/^(53100|58030)$/.test(code)) return "databaseFull";
  if (code === "25006") return "databaseReadOnly";
  if (/^(57P0[1-5]|53300|08\w{3}|DATABASE_UNREACHABLE|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))$/.test(code))
    return "databaseUnreachable";
  return bucketFaults[code] ?? null;
}

/** The system's code alone does not say to which server. */
function isLostConnection(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|FailedToOpenSocket)/.test(code);
}
