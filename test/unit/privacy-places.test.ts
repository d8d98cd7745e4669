import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { otherTables } from "../../src/features/privacy/other-tables.ts";
import { places } from "../../src/features/privacy/places.ts";
import { startOfTests } from "../support/clock.ts";

function columnsOf(database: Database): Map<string, string[]> {
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  return new Map(
    tables.map(({ name }) => [
      name,
      database
        .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
        .all(name)
        .map((c) => c.name),
    ]),
  );
}

/** What the schema has and the register does not, and the other way round. */
function differences(schema: ReadonlyMap<string, string[]>): string[] {
  const registered = new Map<string, Set<string>>(
    Object.entries(otherTables).map(([table, columns]) => [table, new Set(columns)]),
  );
  for (const { table, key, personal, others } of places)
    registered.set(table, new Set([...key, ...personal, ...others]));
  const missing = [...schema].flatMap(([table, columns]) =>
    columns
      .filter((column) => !registered.get(table)?.has(column))
      .map((column) => `${table}.${column} is not registered: may it tell of a person whom users reach out to?`),
  );
  const gone = [...registered].flatMap(([table, columns]) =>
    [...columns]
      .filter((column) => !schema.get(table)?.includes(column))
      .map((column) => `${table}.${column} is registered, but does not exist`),
  );
  return [...missing, ...gone];
}

function migrated(): Database {
  const database = new Database(":memory:", { strict: true });
  migrate(database, migrations, startOfTests);
  return database;
}

test("every column of the database is in the register of personal data", () => {
  using database = migrated();
  expect(differences(columnsOf(database))).toEqual([]);
});

test("a new column, or a new table, is noticed", () => {
  using database = migrated();
  database.run("ALTER TABLE leads ADD COLUMN nickname TEXT");
  database.run("CREATE TABLE diary (page INTEGER, who TEXT)");
  expect(differences(columnsOf(database)).map((text) => text.split(" ")[0])).toEqual([
    "leads.nickname",
    "diary.page",
    "diary.who",
  ]);
});

test("each table stands in the register once, and texts are personal", () => {
  const tables = [...places.map(({ table }) => table), ...Object.keys(otherTables)];
  expect(new Set(tables).size).toBe(tables.length);
  for (const { personal, texts } of places) expect(personal).toEqual(expect.arrayContaining([...texts]));
});
