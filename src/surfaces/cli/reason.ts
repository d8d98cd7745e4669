const reasons: Readonly<Record<string, string>> = {
  // Bun reports an unknown host with the same code.
  ECONNREFUSED: "nothing responds at that host and port.",
  ECONNRESET: "the connection was closed in the middle.",
  ENOENT: "no such file or directory.",
  EACCES: "permission denied.",
  EISDIR: "it is a directory.",
  EROFS: "the disk is read-only.",
  ENOSPC: "no space left on the disk.",
  EDQUOT: "disk quota exceeded.",
};

/** Returns why an outside operation failed, as the second half of a message: "Could not read leads.csv: ...". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it did not respond in time.";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return reasons[code] ?? error.message;
}
