import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";

/** Runs statements: the pool itself, or one transaction. */
export type Connection = Pick<
  PostgresJsDatabase,
  "select" | "selectDistinct" | "insert" | "update" | "delete" | "execute"
>;

/**
 * A connection that notes whether a statement was run that may write: a refusal that only locked rows has changed
 * nothing.
 */
export function watch(connection: Connection): Connection & { hasWritten(): boolean } {
  let hasWritten = false;
  /** For functions with type parameters of their own, which a wrapper with a type would lose. */
  function noting<Run extends (...parameters: never[]) => unknown>(run: Run): Run {
    const noted = (...parameters: Parameters<Run>) => {
      hasWritten = true;
      return run(...parameters);
    };
    return noted as Run;
  }

  return {
    select: connection.select.bind(connection),
    selectDistinct: connection.selectDistinct.bind(connection),
    execute: noting(connection.execute.bind(connection)),
    insert: noting(connection.insert.bind(connection)),
    update: noting(connection.update.bind(connection)),
    delete: noting(connection.delete.bind(connection)),
    hasWritten: () => hasWritten,
  };
}

/**
 * Waits for statements of a transaction that are sent together; the connection runs them in this order. If one fails, the
 * others are still waited for, so that nothing runs on the connection after the rollback.
 */
export async function together(statements: readonly (Promise<unknown> | false)[]): Promise<void> {
  const outcomes = await Promise.allSettled(statements.filter((each) => each !== false));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
