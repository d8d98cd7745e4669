/**
 * How a column is stored, and its text in a copy. text: TEXT in both engines. whole: INTEGER, BIGINT or INTEGER in
 * PostgreSQL. real: REAL, DOUBLE PRECISION. flag: 0 or 1, BOOLEAN. json: TEXT, JSON, which keeps the text. object: TEXT
 * with JSON, JSONB, which reorders names. bytes: BLOB, BYTEA.
 */
export const columnKinds = ["text", "whole", "real", "flag", "json", "object", "bytes"] as const;
export type ColumnKind = (typeof columnKinds)[number];

export type CopiedColumn = { name: string; kind: ColumnKind };

/** A table whose rows are the same in both engines, however each of them stores it. */
export type CopiedTable = {
  name: string;
  /** Columns that identify a row, in the order in which rows are read. */
  key: readonly string[];
  columns: readonly CopiedColumn[];
  sqlite: Stored;
  postgres: Stored;
};

/** How one engine stores the rows, where that is not a table with the same name and columns. */
export type Stored = {
  /** The table with the rows, if its name differs. */
  table?: string;
  /** What is read instead of the table. */
  from?: string;
  /** Which rows are read. */
  where?: string;
  /** Prepares that, on the connection that reads. SQLite only. */
  prepare?: readonly string[];
  /** Expressions for columns that are not read by their names. */
  read?: Readonly<Record<string, string>>;
  /** Expressions that order the rows, unless that is the key. */
  order?: readonly string[];
  /**
   * All columns that are written, with $NAME for the value of a column. PostgreSQL takes such values only, not expressions.
   * Default: each column.
   */
  write?: Readonly<Record<string, string>>;
  /** Written by these statements instead of one INSERT. SQLite only. */
  statements?: readonly string[];
  /** Columns of this engine only, each with where its values come from. */
  own?: Readonly<Record<string, string>>;
  /** Expressions for own columns without a default, while rows are loaded. PostgreSQL only. */
  defaults?: Readonly<Record<string, string>>;
  /** Stored in the pages of sorted runs; see `key-pages.ts`. SQLite only. */
  isKeyRuns?: true;
};

/** The names of columns by kind, separated by white space. */
type Columns = Partial<Record<ColumnKind, string>>;

export function copied(
  name: string,
  key: string,
  columns: Columns,
  { sqlite = {}, postgres = {} }: { sqlite?: Stored; postgres?: Stored } = {},
): CopiedTable {
  const all = columnKinds.flatMap((kind) => wordsIn(columns[kind]).map((column) => ({ name: column, kind })));
  return { name, key: wordsIn(key), columns: all, sqlite, postgres };
}

function wordsIn(text = ""): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
