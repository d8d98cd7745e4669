import { setTimeout } from "node:timers/promises";
import type { PendingQuery, Row, Sql } from "postgres";
import type { AppliedMigration } from "../../../features/backup/model.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { durationText } from "../../../platform/operations/duration-text.ts";
import { refuseUnknown } from "../applied-migrations.ts";
import { codeOf, sqlStates } from "./error-codes.ts";
import type { Migration } from "../migrations.macro.ts";
import { embedMigrations } from "../migrations.macro.ts" with { type: "macro" };

export const migrations: Migration[] = embedMigrations("postgres");

/** Any constant will do, as long as every version of the program uses it. */
const migrationLock = 7_263_448_114;

/**
 * How a migration waits for tables that others use. A statement that waits for an exclusive lock keeps all later readers
 * waiting behind it, so it must give up well within the time limit of their statements.
 */
export type LockPatience = {
  /** A wait for one lock: as long as requests of running nodes may have to wait. Null: see `lockTimeoutOf`. */
  lockTimeoutMs: number | null;
  /** Before the second attempt. It doubles from one attempt to the next, up to `maxPauseMs`. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** No attempt begins later than this. */
  totalMs: number;
  /** Called before each pause with a sentence for the log. */
  onWait: (message: string) => void;
  /** Its abortion rolls back and throws its reason: whoever stops a node does not wait for a lock. */
  stop: AbortSignal;
};

const defaultPatience: LockPatience = {
  lockTimeoutMs: null,
  firstPauseMs: 1_000,
  maxPauseMs: 5_000,
  totalMs: 600_000,
  onWait: () => {},
  stop: new AbortController().signal,
};

/**
 * Brings the database to the newest schema: each missing migration runs once, all in one transaction. Nodes that start
 * together take turns. Refuses a database that a newer program has written, and one whose applied migrations differ from
 * ours. Rolls back and tries again while others hold locks on the tables. Returns how many were applied.
 */
export async function migrate(
  client: Sql,
  list: readonly Migration[],
  now: number,
  patience: Partial<LockPatience> = {},
): Promise<number> {
  const { lockTimeoutMs, firstPauseMs, maxPauseMs, totalMs, onWait, stop } = { ...defaultPatience, ...patience };
  const startedAt = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const progress: Progress = { current: null };
    try {
      return await applyMissing(client, list, now, lockTimeoutMs, progress, stop);
    } catch (error) {
      stop.throwIfAborted();
      // Deadlock: it waits for a table that a transaction holds which waits for one that the migration has locked.
      const code = codeOf(error);
      if (code !== sqlStates.lockTimeout && code !== sqlStates.deadlock) throw error;
      const holders = await lockHolders(client);
      const problem = `The migration ${progress.current ?? "of the database"} waits for tables that ${holders} uses.`;
      if (performance.now() - startedAt + pauseMs > totalMs)
        throw new StartError(`${problem} It gave up after ${durationText(totalMs)}; the database is unchanged.`, {
          hint:
            "Wait until that has ended (a backup with pg_dump, for example), or end it with " +
            "SELECT pg_terminate_backend(PID), then start again.",
          cause: error,
        });
      onWait(`${problem} The next attempt follows in ${Math.ceil(pauseMs / 1_000)} s.`);
      await setTimeout(pauseMs, null, { signal: stop }).catch(() => stop.throwIfAborted());
    }
  }
}

/** `current`: the name of the migration that runs. */
type Progress = { current: string | null };

async function applyMissing(
  client: Sql,
  list: readonly Migration[],
  now: number,
  lockTimeoutMs: number | null,
  progress: Progress,
  stop: AbortSignal,
): Promise<number> {
  return await client.begin(async (transaction) => {
    await transaction`SET LOCAL statement_timeout = 0`;
    // Without a limit: another node may be in a long migration, and nobody else waits for this lock.
    await transaction`SET LOCAL lock_timeout = 0`;
    await untilStopped(stop, transaction`SELECT pg_advisory_xact_lock(${migrationLock}::bigint)`);
    await transaction.unsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs ?? (await lockTimeoutOf(transaction))}`);
    await refuseIncomplete(transaction);
    await transaction.unsafe(createMigrationTable);
    const applied = await transaction<
      AppliedMigration[]
    >`SELECT number, name, hash FROM schema_migrations ORDER BY number`;
    refuseUnknown(applied, list);
    const known = new Set(applied.map(({ number }) => number));
    const missing = list.filter(({ number }) => !known.has(number));
    if (known.size > 0) await lockFirst(transaction, missing, progress, stop);
    for (const { number, name, hash, sql } of missing) {
      progress.current = name;
      await untilStopped(stop, transaction.unsafe(sql));
      await transaction`INSERT INTO schema_migrations (number, name, hash, applied_at)
        VALUES (${number}, ${name}, ${hash}, ${now})`;
    }
    return missing.length;
  });
}

/**
 * Tables that a migration locks after others although requests use them first. While it holds those others, there is
 * always a request that has used the first and waits for one of the others, so that the migration would never be run
 * under load. To drop or add a foreign key locks the table that it refers to.
 */
const usedFirst: Readonly<Record<number, string>> = { 28: "workspaces" };

async function lockFirst(
  transaction: Pick<Sql, "unsafe">,
  missing: readonly Migration[],
  progress: Progress,
  stop: AbortSignal,
): Promise<void> {
  for (const { number, name } of missing) {
    const table = usedFirst[number];
    if (table === undefined) continue;
    progress.current = name;
    await untilStopped(stop, transaction.unsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`));
  }
}

const maxLockTimeoutMs = 5_000;

/**
 * A transaction of a running node may wait for a table that the migration has locked, and have locked one that the
 * migration waits for. After `deadlock_timeout`, PostgreSQL fails whichever waits, so the migration gives up before.
 */
async function lockTimeoutOf(client: Pick<Sql, "unsafe">): Promise<number> {
  const [row] = await client.unsafe<{ ms: number }[]>(
    "SELECT setting::integer AS ms FROM pg_settings WHERE name = 'deadlock_timeout'",
  );
  return Math.min(maxLockTimeoutMs, Math.ceil(0.8 * row!.ms));
}

/** Waits for a statement, which PostgreSQL cancels once `stop` is aborted. */
async function untilStopped(stop: AbortSignal, statement: PendingQuery<Row[]>): Promise<void> {
  stop.throwIfAborted();
  const cancel = () => statement.cancel();
  stop.addEventListener("abort", cancel);
  try {
    await statement;
  } finally {
    stop.removeEventListener("abort", cancel);
  }
}

/** Who has used tables for longer than requests do, as words: the migration waited for one of them, most probably. */
async function lockHolders(client: Sql): Promise<string> {
  // Other users' times are hidden from a user without privileges, but not their names.
  const [holder] = await client<{ pid: number; name: string; user: string }[]>`
    SELECT a.pid, a.application_name AS name, a.usename AS user FROM pg_stat_activity AS a
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND EXISTS (
      SELECT 1 FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
      WHERE l.pid = a.pid AND l.granted AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    ORDER BY a.xact_start NULLS FIRST LIMIT 1`;
  if (holder === undefined) return "another transaction";
  return `another transaction (PID ${holder.pid}, user ${holder.user}${holder.name === "" ? "" : `, ${holder.name}`})`;
}

/** While this table exists, `outreachd copy` is filling the database. */
export const copyState = "copy_state";

async function refuseIncomplete(client: Pick<Sql, "unsafe">): Promise<void> {
  const [row] = await client.unsafe<{ found: boolean }[]>(`SELECT to_regclass('${copyState}') IS NOT NULL AS found`);
  if (row?.found !== true) return;
  throw new StartError("A copy to this database is not complete.", {
    hint: "Run the same `outreachd copy` again, which continues it.",
  });
}

/** Applied migrations, oldest first; null if the database has no tables of outreachd. */
export async function appliedMigrations(client: Sql): Promise<AppliedMigration[] | null> {
  const [row] = await client<{ found: boolean }[]>`SELECT to_regclass('schema_migrations') IS NOT NULL AS found`;
  if (row?.found !== true) return null;
  return await client<AppliedMigration[]>`SELECT number, name, hash FROM schema_migrations ORDER BY number`;
}

const createMigrationTable = `CREATE TABLE IF NOT EXISTS schema_migrations
  (number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at BIGINT NOT NULL)`;
