import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";

const at = migrations.findIndex(({ name }) => name.includes("teams"));

function databaseBefore(): Database {
  const database = new Database(":memory:", { strict: true });
  migrate(database, migrations.slice(0, at), 0);
  database.run(`
    INSERT INTO users (seq, id, email, name, role, time_zone, created_at, updated_at)
      VALUES (3, 'a', 'Ada@team.example', 'Ada Lovelace', 'admin', 'Europe/Berlin', 1, 2),
             (7, 'b', 'bob@bücher.example', NULL, 'member', 'UTC', 3, 4);
    INSERT INTO api_keys (id, workspace_id, name, hash, hint, permissions, is_active, usage_count, created_at, updated_at)
      VALUES ('k', 'b', 'CRM', 'h', 'hint', '["leads:read"]', 1, 5, 1, 1), ('g', NULL, 'ops', 'i', 'hint', '["*"]', 1, 0, 1, 1);
    INSERT INTO leads (id, owner, email, status, tags, custom_fields, folded, version, created_at, updated_at)
      VALUES ('l', 7, 'c@client.example', 'new', '[]', '{}', '', 1, 1, 1);`);
  return database;
}

test("a user becomes a person who owns a workspace with the same ID and number, which owns what they owned", () => {
  using database = databaseBefore();
  migrate(database, migrations.slice(0, at + 1), 9);
  const all = (table: string) => database.query(`SELECT * FROM ${table} ORDER BY 1`).all();
  expect(all("workspaces")).toEqual([
    { seq: 3, id: "a", name: "Ada Lovelace", time_zone: "Europe/Berlin", created_at: 1, updated_at: 2 },
    { seq: 7, id: "b", name: "bob@bücher.example", time_zone: "UTC", created_at: 3, updated_at: 4 },
  ]);
  expect(all("users")).toMatchObject([
    { seq: 3, id: "a", email: "Ada@team.example", email_key: "ada@team.example", role: "admin", is_active: 1 },
    { seq: 7, id: "b", email: "bob@bücher.example", email_key: "bob@xn--bcher-kva.example", role: "member" },
  ]);
  expect(all("members")).toMatchObject([
    { workspace_id: "a", user_id: "a", role: "owner", permissions: null, is_active: 1 },
    { workspace_id: "b", user_id: "b", role: "owner" },
  ]);
  expect(all("api_keys")).toMatchObject([
    { id: "g", workspace_id: null, user_id: null },
    { id: "k", workspace_id: "b", user_id: "b", usage_count: 5 },
  ]);
  expect(database.query("SELECT w.id FROM leads JOIN workspaces AS w ON w.seq = leads.owner").all()).toEqual([
    { id: "b" },
  ]);
  expect(database.query("PRAGMA foreign_key_check").all()).toEqual([]);
});

test("what belongs to a workspace goes with it, and a key with its user", () => {
  using database = databaseBefore();
  migrate(database, migrations.slice(0, at + 1), 9);
  database.run("PRAGMA foreign_keys = ON");
  const count = (table: string) =>
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table} WHERE true`).get()!.n;
  database.run("DELETE FROM users WHERE id = 'b'");
  expect([count("api_keys"), count("members"), count("leads"), count("workspaces")]).toEqual([1, 1, 1, 2]);
  database.run("DELETE FROM workspaces WHERE id = 'b'");
  expect([count("leads"), count("workspaces")]).toEqual([0, 1]);
});

test("two users whose addresses are the same as they are compared now stay two users", () => {
  using database = databaseBefore();
  database.run(
    "INSERT INTO users (id, email, role, time_zone, created_at, updated_at) VALUES ('c', 'bob@xn--bcher-kva.example', 'member', 'UTC', 5, 5)",
  );
  migrate(database, migrations.slice(0, at + 1), 9);
  expect(database.query("SELECT count(*) AS n, count(DISTINCT email_key) AS keys FROM users").all()).toEqual([
    { n: 3, keys: 3 },
  ]);
});
