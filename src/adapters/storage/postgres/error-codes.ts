/** Error codes of PostgreSQL: Appendix A of its manual. */
export const sqlStates = {
  lockTimeout: "55P03",
  deadlock: "40P01",
  unsupportedParameter: "08P01",
  foreignKeyViolation: "23503",
  uniqueViolation: "23505",
  readOnly: "25006",
} as const;

/** The code of an error of the driver, which drizzle wraps; null for other errors. */
export function codeOf(error: unknown): string | null {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string") return each.code;
  return null;
}

/**
 * The connection to the database failed outside a query, so nothing was committed, or nobody knows whether it was. The
 * code tells `diskFaultOf` apart from connections to other servers.
 */
export class DatabaseUnreachable extends Error {
  readonly code = "DATABASE_UNREACHABLE";

  constructor(cause: unknown) {
    super("The database cannot be reached", { cause });
  }
}

/** Codes of the operating system for failed connections. */
export function isConnectionCode(code: string | null): boolean {
  return code !== null && /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|FailedToOpenSocket)/.test(code);
}
