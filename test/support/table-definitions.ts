import { getTableName, is } from "drizzle-orm";
import { getTableConfig as postgresConfig, PgTable } from "drizzle-orm/pg-core";
import { getTableConfig as sqliteConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect } from "bun:test";
import { join } from "node:path";

/** What a table definition and the table that the migrations create must have in common. */
export type TableShape = {
  name: string;
  columns: { name: string; type: string; isRequired: boolean }[];
  /** Columns in the order of the key. */
  primaryKey: string[];
};

const storage = join(import.meta.dir, "../../src/adapters/storage");

/** Of the tables that an engine's files define for drizzle's queries. */
export async function definedTables(engine: "sqlite" | "postgres"): Promise<TableShape[]> {
  const tables: (SQLiteTable | PgTable)[] = [];
  for await (const path of new Bun.Glob("**/*.ts").scan({ cwd: join(storage, engine), absolute: true })) {
    if (!/\b(?:sqlite|pg)Table\(/.test(await Bun.file(path).text())) continue;
    expect(path).toEndWith("tables.ts");
    const module = (await import(path)) as Record<string, unknown>;
    tables.push(...Object.values(module).filter((value) => is(value, SQLiteTable) || is(value, PgTable)));
  }
  return tables.map(shapeOf);
}

function shapeOf(table: SQLiteTable | PgTable): TableShape {
  const { columns, primaryKeys } = is(table, SQLiteTable) ? sqliteConfig(table) : postgresConfig(table);
  const inColumn = columns.filter(({ primary }) => primary).map(({ name }) => name);
  return {
    name: getTableName(table),
    columns: columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      isRequired: column.notNull,
    })),
    primaryKey: primaryKeys[0]?.columns.map(({ name }) => name) ?? inColumn,
  };
}

/** Columns are compared in the order of their names, because migrations append columns. */
export function expectSameTables(found: readonly TableShape[], defined: readonly TableShape[]): void {
  for (const table of defined) {
    const created = found.find(({ name }) => name === table.name);
    expect(created && sorted(created), table.name).toEqual(sorted(table));
  }
}

function sorted(table: TableShape): TableShape {
  return { ...table, columns: table.columns.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

export function namesOf(tables: readonly { name: string }[]): string[] {
  return tables.map(({ name }) => name).toSorted();
}
