const reasons: Readonly<Record<string, string>> = {
  // Bun reports an unknown host with the same code.
  ECONNREFUSED: "nothing answers at that host and port.",
  ECONNRESET: "the connection was closed in the middle.",
  ENOENT: "there is no such file or directory.",
  EACCES: "the permission is missing.",
  EISDIR: "it is a directory.",
  EROFS: "the disk is read-only.",
  ENOSPC: "there is no space left on the disk.",
  EDQUOT: "the disk quota is used up.",
};

/** Why something outside did not work, as the second half of a sentence: "Could not read leads.csv: ...". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it did not answer in time.";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return reasons[code] ?? error.message;
}
