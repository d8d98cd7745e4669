import { getTableColumns, getTableName, sql, type Placeholder, type Table } from "drizzle-orm";

/** A placeholder of the same name for each column of a table: the values of a prepared insert. */
export function placeholdersOf<T extends Table>(table: T): { [C in keyof T["_"]["columns"]]: Placeholder } {
  const names = Object.keys(getTableColumns(table));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as {
    [C in keyof T["_"]["columns"]]: Placeholder;
  };
}

/** An INSERT with a place for each column, in the order of the table's definition, for a plain statement. */
export function insertSqlOf(table: Table): string {
  const names = Object.values(getTableColumns(table)).map(({ name }) => name);
  return `INSERT INTO ${getTableName(table)} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
}
