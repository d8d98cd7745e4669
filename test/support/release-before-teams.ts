import type { Database } from "bun:sqlite";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { leadInserter, leadRow } from "../bench/lead-rows.ts";
import { person } from "../bench/people.ts";

const sinceTeams = migrations.findIndex(({ number }) => number === 36);

/** What a database of the last release without teams has: users, their keys, credits and leads. */
export function fillReleaseBeforeTeams(database: Database, size: { users: number; leads: number }): void {
  migrate(database, migrations.slice(0, sinceTeams), 0);
  const insertUser = database.prepare(
    "INSERT INTO users (seq, id, email, role, time_zone, created_at, updated_at) VALUES (?, ?, ?, 'member', 'UTC', 1, 1)",
  );
  const insertKey = database.prepare(
    "INSERT INTO api_keys (id, user_id, name, hash, hint, permissions, created_at, updated_at) VALUES (?, ?, 'CRM', ?, 'hint', '[]', 1, 1)",
  );
  const insertCredits = database.prepare(
    "INSERT INTO credit_ledger (id, user_id, kind, amount, created_at) VALUES (?, ?, 'grant', ?, 1)",
  );
  database.transaction(() => {
    for (let user = 1; user <= size.users; user++) {
      insertUser.run(user, `user-${user}`, `user${user}@team.example`);
      insertKey.run(`key-${user}`, `user-${user}`, `hash-${user}`);
      insertCredits.run(`grant-${user}`, `user-${user}`, user);
    }
    const insertLead = leadInserter(database);
    for (let n = 0; n < size.leads; n++) insertLead(leadRow((n % size.users) + 1, person(1, n), n));
  })();
}

export type Contents = { rows: Record<string, number>; leads: string; credits: string };

/**
 * How many rows each table has, and hashes of the fields of leads and credits that are exported, by the ID of their owner.
 * The owner is a user in the release before teams, and a workspace since.
 */
export function contentsOf(database: Database): Contents {
  const tables = names(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'",
  );
  const hasTeams = tables.includes("workspaces");
  const owners = hasTeams ? "workspaces" : "users";
  const count = (table: string) =>
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${table}" WHERE true`).get()!.n;
  return {
    rows: Object.fromEntries(
      tables.filter((table) => table !== "schema_migrations").map((name) => [name, count(name)]),
    ),
    leads: hashOf(
      database,
      `SELECT (SELECT id FROM ${owners} WHERE seq = owner), ${leadColumns} FROM leads ORDER BY seq`,
    ),
    credits: hashOf(
      database,
      `SELECT ${hasTeams ? "workspace_id" : "user_id"}, id, kind, amount, note, created_at FROM credit_ledger ORDER BY id`,
    ),
  };
}

const leadColumns = `id, first_name, last_name, email, company, title, phone, network_url, industry, location, source,
  notes, status, tags, custom_fields, version, created_at, updated_at`;

function names(database: Database, sql: string): string[] {
  return database
    .query<{ name: string }, []>(sql)
    .all()
    .map(({ name }) => name);
}

function hashOf(database: Database, sql: string): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const row of database.query(sql).iterate()) hash.update(`${JSON.stringify(Object.values(row ?? {}))}\n`);
  return hash.digest("hex");
}
