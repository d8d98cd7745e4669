import { expect, test } from "bun:test";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/postgres/migrate.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { definedTables, expectSameTables, namesOf, type TableShape } from "../support/table-definitions.ts";

/** Creates a database and drops it afterwards. */
async function withDatabase(use: (client: ReturnType<typeof connect>) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const client = connect(database.url, { poolSize: 4 });
  try {
    await use(client);
  } finally {
    await client.end();
    await database.drop();
  }
}

type ColumnInfo = { table: string; name: string; type: string; isRequired: boolean; position: number | null };

/** `position`: where the column stands in the primary key. */
async function createdTables(client: ReturnType<typeof connect>): Promise<TableShape[]> {
  const columns = await client<ColumnInfo[]>`
    SELECT c.table_name AS table, c.column_name AS name, c.data_type AS type, c.is_nullable = 'NO' AS "isRequired",
      k.ordinal_position AS position
    FROM information_schema.columns AS c
    LEFT JOIN information_schema.key_column_usage AS k
      ON (k.table_name, k.column_name) = (c.table_name, c.column_name) AND k.constraint_name = c.table_name || '_pkey'
    WHERE c.table_schema = 'public'`;
  return [...Map.groupBy(columns, ({ table }) => table)].map(([name, ofTable]) => ({
    name,
    columns: ofTable.map((column) => ({ name: column.name, type: column.type, isRequired: column.isRequired })),
    primaryKey: ofTable
      .filter(({ position }) => position !== null)
      .toSorted((a, b) => a.position! - b.position!)
      .map((column) => column.name),
  }));
}

test("the migrations create the tables that the queries expect, and no others", async () => {
  await withDatabase(async (client) => {
    const [created, defined] = [await createdTables(client), await definedTables("postgres")];
    expectSameTables(created, defined);
    expect(namesOf(created)).toEqual(namesOf([...defined, { name: "schema_migrations" }]));
  });
});

test("each migration is applied once, also when several nodes start at the same time", async () => {
  await withDatabase(async (client) => {
    const more = { number: 900, name: "0900_more.sql", hash: "h", sql: "CREATE TABLE more (n INTEGER)" };
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(client, [...migrations, more], 0)));
    expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 1]);
  });
});

test("a failed migration leaves the database as it was", async () => {
  await withDatabase(async (client) => {
    const bad = { number: 900, name: "0900_bad.sql", hash: "h", sql: "CREATE TABLE more (n INTEGER); SELECT 1 / 0" };
    await expect(migrate(client, [...migrations, bad], 0)).rejects.toThrow("division by zero");
    expect(await migrate(client, migrations, 0)).toBe(0);
    expect([...(await client`SELECT to_regclass('more') AS more`)]).toEqual([{ more: null }]);
  });
});

test("a database that a newer program or another build has written is refused", async () => {
  await withDatabase(async (client) => {
    await expect(migrate(client, migrations.slice(1), 0)).rejects.toThrow("newer outreachd");
    const changed = migrations.map((migration) => ({ ...migration, hash: "other" }));
    await expect(migrate(client, changed, 0)).rejects.toThrow("another text");
  });
});
