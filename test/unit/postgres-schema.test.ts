import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "bun:test";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/postgres/migrate.ts";
import * as campaignTables from "../../src/adapters/storage/postgres/campaign-tables.ts";
import * as networkTables from "../../src/adapters/storage/postgres/network-tables.ts";
import * as tables from "../../src/adapters/storage/postgres/tables.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Of an own database, which is dropped afterwards. */
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

type Column = { name: string; type: string; isRequired: boolean };

function columnsOf(table: PgTable): Column[] {
  return getTableConfig(table).columns.map((column) => ({
    name: column.name,
    type: column.getSQLType(),
    isRequired: column.notNull,
  }));
}

const byName = (a: Column, b: Column) => a.name.localeCompare(b.name);

test("the migrations make the tables that the queries expect", async () => {
  await withDatabase(async (client) => {
    const known = [tables, networkTables, campaignTables]
      .flatMap((module) => Object.values<unknown>(module))
      .filter((value) => is(value, PgTable));
    expect(known.length).toBeGreaterThan(10);
    for (const table of known) {
      const found = await client<Column[]>`
        SELECT column_name AS name, data_type AS type, is_nullable = 'NO' AS "isRequired"
        FROM information_schema.columns WHERE table_name = ${getTableConfig(table).name}`;
      expect([...found].toSorted(byName), getTableConfig(table).name).toEqual(columnsOf(table).toSorted(byName));
    }
    const [made] = await client<{ n: number }[]>`
      SELECT count(*) AS n FROM information_schema.tables WHERE table_schema = 'public'`;
    expect(made!.n).toBe(known.length + 1);
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
