import type { Sql } from "postgres";
import type { AppliedMigration } from "../../../features/backup/model.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { refuseUnknown } from "../applied-migrations.ts";
import type { Migration } from "../migrations.macro.ts";
import { embedMigrations } from "../migrations.macro.ts" with { type: "macro" };

export const migrations: Migration[] = embedMigrations("postgres");

/** Any constant will do, as long as every version of the program uses it. */
const migrationLock = 7_263_448_114;

/**
 * Brings the database to the newest schema: each missing migration runs once, all in one transaction. Nodes that start
 * together take turns. Refuses a database that a newer program has written, and one whose applied migrations differ from
 * ours. Returns how many were applied.
 */
export async function migrate(client: Sql, list: readonly Migration[], now: number): Promise<number> {
  return await client.begin(async (transaction) => {
    await transaction`SET LOCAL statement_timeout = 0`;
    await transaction`SELECT pg_advisory_xact_lock(${migrationLock}::bigint)`;
    await refuseIncomplete(transaction);
    await transaction.unsafe(createMigrationTable);
    const applied = await transaction<
      AppliedMigration[]
    >`SELECT number, name, hash FROM schema_migrations ORDER BY number`;
    refuseUnknown(applied, list);
    const known = new Set(applied.map(({ number }) => number));
    const missing = list.filter(({ number }) => !known.has(number));
    for (const { number, name, hash, sql } of missing) {
      await transaction.unsafe(sql);
      await transaction`INSERT INTO schema_migrations (number, name, hash, applied_at)
        VALUES (${number}, ${name}, ${hash}, ${now})`;
    }
    return missing.length;
  });
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
