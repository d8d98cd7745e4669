import { expect, test } from "bun:test";
import { otherTables } from "../../src/adapters/storage/postgres/privacy/other-tables.ts";
import { storedPlaces } from "../../src/adapters/storage/postgres/privacy/stored-places.ts";
import { definedTables } from "../support/table-definitions.ts";

test("every column of the database is in the register of personal data", async () => {
  const registered = new Map<string, readonly string[]>(Object.entries(otherTables));
  for (const { table, key, personal, others } of storedPlaces)
    registered.set(table, [...new Set([...key, ...personal, ...others])]);
  registered.delete("schema_migrations");
  const columnsOf = (tables: Iterable<readonly [string, readonly string[]]>) =>
    [...tables].flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)).toSorted();
  const defined = await definedTables("postgres");
  expect(columnsOf(registered)).toEqual(
    columnsOf(defined.map(({ name, columns }) => [name, columns.map((column) => column.name)])),
  );
});
