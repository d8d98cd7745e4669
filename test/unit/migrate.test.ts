import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { StartError } from "../../src/platform/base/start-error.ts";
import * as creditTables from "../../src/adapters/storage/sqlite/credit-tables.ts";
import * as enrichmentTables from "../../src/adapters/storage/sqlite/enrichment-tables.ts";
import * as prospectTables from "../../src/adapters/storage/sqlite/directory/tables.ts";
import * as voiceTables from "../../src/adapters/storage/sqlite/voice-tables.ts";
import { migrate, migrations, schemaOf } from "../../src/adapters/storage/sqlite/migrate.ts";
import type { Migration } from "../../src/adapters/storage/migrations.macro.ts";
import * as campaignTables from "../../src/adapters/storage/sqlite/campaign-tables.ts";
import * as networkTables from "../../src/adapters/storage/sqlite/network-tables.ts";
import * as suppressionTables from "../../src/adapters/storage/sqlite/suppression-tables.ts";
import * as tables from "../../src/adapters/storage/sqlite/tables.ts";

const families = step(1, "CREATE TABLE families (id INTEGER PRIMARY KEY, name TEXT) STRICT");
const members = step(
  2,
  "CREATE TABLE members (id INTEGER PRIMARY KEY, family INTEGER NOT NULL REFERENCES families (id) ON DELETE CASCADE) STRICT; CREATE INDEX members_by_family ON members (family)",
);
/** As SQLite's manual tells to change a table: make a new one, copy, drop the old one, rename. */
const rebuild = step(
  3,
  "CREATE TABLE families_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '') STRICT; INSERT INTO families_new SELECT id, coalesce(name, '') FROM families; DROP TABLE families; ALTER TABLE families_new RENAME TO families",
);

test("a fresh database gets every migration, with its name, hash and time", () => {
  using database = openEmpty();
  expect(migrate(database, [families, members], 77)).toBe(2);
  expect(appliedTo(database)).toEqual([
    { number: 1, name: "0001_step.sql", hash: "hash of 1", applied_at: 77 },
    { number: 2, name: "0002_step.sql", hash: "hash of 2", applied_at: 77 },
  ]);
  expect(tablesOf(database)).toEqual(["families", "members"]);
});

test("a schema is new, current, or another: older, newer, or of other texts", () => {
  using database = openEmpty();
  expect(schemaOf(database, [families])).toBe("new");
  migrate(database, [families, members], 1);
  expect(schemaOf(database, [families, members])).toBe("current");
  expect(schemaOf(database, [families, members, rebuild])).toBe("other");
  expect(schemaOf(database, [families])).toBe("other");
  expect(schemaOf(database, [{ ...families, hash: "another" }, members])).toBe("other");
});

test("a second start applies nothing and keeps what is stored", () => {
  using database = openEmpty();
  migrate(database, [families, members], 1);
  database.run("INSERT INTO families VALUES (1, 'Byron')");
  expect(migrate(database, [families, members], 2)).toBe(0);
  expect(database.query("SELECT * FROM families").all()).toEqual([{ id: 1, name: "Byron" }]);
  expect(appliedTo(database).map(({ applied_at }) => applied_at)).toEqual([1, 1]);
});

test("an older database gets only what it lacks", () => {
  using database = openEmpty();
  migrate(database, [families], 1);
  expect(migrate(database, [families, members, rebuild], 2)).toBe(2);
  expect(appliedTo(database).map(({ applied_at }) => applied_at)).toEqual([1, 2, 2]);
});

test("a database of a newer program is refused and left as it is", () => {
  using database = openEmpty();
  migrate(database, [families, members], 1);
  const attempt = () => migrate(database, [families], 2);
  expect(attempt).toThrow(StartError);
  expect(attempt).toThrow("newer outreachd (it has migration 0002_step.sql)");
  expect(tablesOf(database)).toEqual(["families", "members"]);
});

test("a database whose applied migrations have another text is refused, before anything is applied", () => {
  using database = openEmpty();
  migrate(database, [families], 1);
  const attempt = () => migrate(database, [{ ...families, hash: "another" }, members], 2);
  expect(attempt).toThrow(StartError);
  expect(attempt).toThrow("another text of migration 0001_step.sql");
  expect(tablesOf(database)).toEqual(["families"]);
});

test("a rebuilt table does not take its children with it", () => {
  using database = openEmpty();
  migrate(database, [families, members], 1);
  database.run("INSERT INTO families VALUES (1, NULL); INSERT INTO members VALUES (10, 1)");
  expect(migrate(database, [families, members, rebuild], 2)).toBe(1);
  expect(database.query("SELECT * FROM families").all()).toEqual([{ id: 1, name: "" }]);
  expect(database.query("SELECT * FROM members").all()).toEqual([{ id: 10, family: 1 }]);
});

test("foreign keys hold again afterwards, whether the migration succeeded or not", () => {
  using database = openEmpty();
  const insertOrphan = () => database.run("INSERT INTO members VALUES (10, 99)");
  migrate(database, [families, members], 1);
  expect(insertOrphan).toThrow("FOREIGN KEY");
  expect(() => migrate(database, [families, members, step(3, "NOT SQL")], 2)).toThrow();
  expect(insertOrphan).toThrow("FOREIGN KEY");
});

test("a migration that fails leaves the database as it was, with none of those before it", () => {
  using database = openEmpty();
  migrate(database, [families], 1);
  const broken = step(3, "CREATE TABLE half (id INTEGER) STRICT; INSERT INTO missing VALUES (1)");
  expect(() => migrate(database, [families, members, broken], 2)).toThrow("no such table");
  expect(tablesOf(database)).toEqual(["families"]);
  expect(appliedTo(database)).toHaveLength(1);
  expect(database.inTransaction).toBe(false);
});

test("a migration that leaves rows pointing at nothing is undone", () => {
  using database = openEmpty();
  migrate(database, [families, members], 1);
  database.run("INSERT INTO families VALUES (1, 'Byron'); INSERT INTO members VALUES (10, 1)");
  expect(() => migrate(database, [families, members, step(3, "DELETE FROM families")], 2)).toThrow("point at nothing");
  expect(database.query("SELECT count(*) AS n FROM families").get()).toEqual({ n: 1 });
});

test("the program's own migrations are numbered one by one, each with a hash of its text", () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  for (const { number, name, sql, hash } of migrations) {
    expect(name).toStartWith(String(number).padStart(4, "0"));
    expect(hash).toBe(new Bun.CryptoHasher("sha256").update(sql).digest("hex"));
  }
});

test("an erasure that waits across the upgrade still knows its owner", () => {
  using database = openEmpty();
  migrate(database, migrations.slice(0, 35), 1);
  const payload = (scope: string | null) =>
    JSON.stringify({ scope: { userId: scope }, identity: null, audit: { action: "person.erased", userId: scope } });
  database.run(
    `INSERT INTO users (id, email, role, time_zone, created_at, updated_at) VALUES ('u', 'u@x', 'member', 'UTC', 1, 1)`,
  );
  for (const scope of ["u", null])
    database.run(
      `INSERT INTO jobs (id, user_id, type, status, run_at, max_attempts, message, metadata, payload, created_at, updated_at)
       VALUES (?, 'u', 'person_erasure', 'pending', 1, 1, '', '{}', ?, 1, 1)`,
      [`job-${scope}`, payload(scope)],
    );
  migrate(database, migrations, 2);
  const found = database.query<{ payload: string }, []>("SELECT payload FROM jobs ORDER BY id").all();
  expect(found.map((row) => JSON.parse(row.payload) as unknown)).toEqual(
    [null, "u"].map((workspaceId) => ({
      scope: { workspaceId },
      identity: null,
      audit: { action: "person.erased", workspaceId },
    })),
  );
});

test("credits that were granted before balances were kept are in them", () => {
  using database = openEmpty();
  migrate(database, migrations.slice(0, 1), 1);
  database.run(`INSERT INTO users (id, email, role, time_zone, created_at, updated_at) VALUES ('u', 'u@x', 'member', 'UTC', 1, 1);
    INSERT INTO credit_ledger VALUES ('a', 'u', 'grant', 40, NULL, 1), ('b', 'u', 'grant', 2, NULL, 2)`);
  migrate(database, migrations, 2);
  expect(database.query("SELECT workspace_id, balance FROM credit_balances").all()).toEqual([
    { workspace_id: "u", balance: 42 },
  ]);
});

const ending = (last: number) => new Uint8Array(32).fill(last, 31);

test.each([
  ["", { seq: 0, hash: ending(0) }],
  ["INSERT INTO audit_start VALUES (1, 7, unhex(hex(zeroblob(31)) || '07'))", { seq: 7, hash: ending(7) }],
  [
    `INSERT INTO audit_start VALUES (1, 7, unhex(hex(zeroblob(31)) || '07'));
     INSERT INTO audit_log (seq, at, action, via, details, hash)
       VALUES (8, 1, 'key.created', 'api', '{}', zeroblob(32)), (9, 1, 'key.created', 'api', '{}', unhex(hex(zeroblob(31)) || '09'))`,
    { seq: 9, hash: ending(9) },
  ],
])("an audit log of before its end was written down has one: %s", (before, end) => {
  using database = openEmpty();
  migrate(database, migrations.filter(({ number }) => number < 21), 1); // prettier-ignore
  if (before !== "") database.run(before);
  migrate(database, migrations, 2);
  expect(database.query("SELECT seq, hash FROM audit_end").all()).toEqual([end]);
});

const tableFiles = [
  tables,
  networkTables,
  campaignTables,
  suppressionTables,
  creditTables,
  enrichmentTables,
  prospectTables,
  voiceTables,
];
const sqliteTables = tableFiles
  .flatMap((file): unknown[] => Object.values(file))
  .filter((exported) => is(exported, SQLiteTable));

test.each(sqliteTables.map((table) => [getTableConfig(table).name, table] as const))(
  "queries see the columns of table %s as the migrations made them",
  (name, table) => {
    using database = openEmpty();
    migrate(database, migrations, 1);
    type Column = { name: string; type: string; notnull: number; pk: number };
    const made = database
      .query<Column, [string]>('SELECT name, type, "notnull", pk FROM pragma_table_info(?)')
      .all(name);
    const seen = getTableConfig(table).columns.map((column) => ({ name: column.name, type: column.getSQLType() }));
    // A migration adds a column at the end; what reads it stands where it is read best.
    expect(byName(seen.map((column) => ({ ...column, type: column.type.toUpperCase() })))).toEqual(
      byName(made.map(({ name, type }) => ({ name, type }))),
    );
    const required = getTableConfig(table)
      .columns.filter((column) => column.notNull)
      .map((column) => column.name);
    const needed = made.filter(({ notnull, pk }) => notnull === 1 || pk > 0).map((column) => column.name);
    expect(required.toSorted()).toEqual(needed.toSorted());
  },
);

function byName<T extends { name: string }>(columns: readonly T[]): T[] {
  return columns.toSorted((a, b) => a.name.localeCompare(b.name));
}

function step(number: number, sql: string): Migration {
  return { number, name: `${String(number).padStart(4, "0")}_step.sql`, hash: `hash of ${number}`, sql };
}

function openEmpty(): Database {
  return new Database(":memory:", { strict: true });
}

function appliedTo(database: Database) {
  type Row = { number: number; name: string; hash: string; applied_at: number };
  return database.query<Row, []>("SELECT * FROM schema_migrations ORDER BY number").all();
}

function tablesOf(database: Database): string[] {
  const names = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  return names.map(({ name }) => name).filter((name) => name !== "schema_migrations");
}
