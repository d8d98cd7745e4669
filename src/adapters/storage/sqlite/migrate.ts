import type { Database } from "bun:sqlite";
import type { AppliedMigration } from "../../../features/backup/model.ts";
import { refuseUnknown } from "../applied-migrations.ts";
import type { Migration } from "../migrations.macro.ts";
import { embedMigrations } from "../migrations.macro.ts" with { type: "macro" };
import { canonicalEmail } from "../../../platform/identity/email.ts";
import { startConversations } from "./start-conversations.ts";
import { rebuildIdentities } from "./rebuild-identities.ts";

export const migrations: Migration[] = embedMigrations("sqlite");

/** What a migration does that SQL cannot, by its name. Runs in the same transaction, after the SQL. */
const rebuilds: Readonly<Record<string, (database: Database) => void>> = {
  "0035_canonical_identities.sql": rebuildIdentities,
  "0037_teams.sql": rebuildAddressKeys,
  "0056_inbox_history.sql": startConversations,
};

/**
 * Runs all missing migrations in one transaction. Throws `StartError` for a database written by a newer program, and for one
 * whose applied migrations differ from those in `list`. Returns how many were applied.
 */
export function migrate(database: Database, list: readonly Migration[], now: number): number {
  // Outside the transaction, where alone SQLite heeds it: a table rebuild must not cascade into its children.
  database.run("PRAGMA foreign_keys = OFF");
  try {
    return database.transaction(() => applyMissing(database, list, now)).immediate();
  } finally {
    database.run("PRAGMA foreign_keys = ON");
  }
}

function applyMissing(database: Database, list: readonly Migration[], now: number): number {
  database.run(
    "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  const applied = new Map(appliedMigrations(database).map((row) => [row.number, row]));
  refuseUnknown([...applied.values()], list);
  const missing = list.filter((migration) => !applied.has(migration.number));
  for (const migration of missing) {
    database.run(migration.sql);
    rebuilds[migration.name]?.(database);
    database
      .query("INSERT INTO schema_migrations (number, name, hash, applied_at) VALUES (?, ?, ?, ?)")
      .run(migration.number, migration.name, migration.hash, now);
  }
  if (missing.length > 0 && database.query("PRAGMA foreign_key_check").all().length > 0)
    throw new Error("A migration left rows that point at nothing");
  return missing.length;
}

/** new: empty. current: exactly the migrations in `list` were applied. other: needs an upgrade, or cannot be used. */
export function schemaOf(database: Database, list: readonly Migration[]): "new" | "current" | "other" {
  if (database.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() === null) return "new";
  const shown = (migrations: readonly { number: number; hash: string }[]) =>
    migrations.map(({ number, hash }) => `${number} ${hash}`).join();
  return shown(appliedMigrations(database)) === shown(list) ? "current" : "other";
}

/** SQL has lower-cased the addresses of users; domains in other scripts are compared in Punycode. */
function rebuildAddressKeys(database: Database): void {
  const update = database.query("UPDATE OR IGNORE users SET email_key = ? WHERE seq = ?");
  for (const { seq, email } of database.query<{ seq: number; email: string }, []>("SELECT seq, email FROM users").all())
    update.run(canonicalEmail(email), seq);
}

/** Applied migrations, oldest first. The database must have been migrated at least once. */
export function appliedMigrations(database: Database): AppliedMigration[] {
  return database.query<AppliedMigration, []>("SELECT number, name, hash FROM schema_migrations ORDER BY number").all();
}
