import type { CopiedTable } from "./copied-table.ts";

/** Some rows of a table; see `row-text.ts`. */
export type Rows = {
  lines: Buffer;
  count: number;
  /** Where the next rows begin: an argument of `CopySource.rows`. */
  after: string;
};

/** A database whose rows are copied. It does not change meanwhile. */
export type CopySource = {
  /** Without a password. */
  shown: string;
  /** The rows in the order of their key, those behind `after`. */
  rows(table: CopiedTable, after: string | null): AsyncIterable<Rows>;
  /** Number of rows of all tables, roughly. */
  estimate(): Promise<number>;
  /** Safe to call twice. */
  close(): Promise<void>;
};

/** How far a table is copied. */
export type Loaded = { after: string | null; rows: number; isComplete: boolean };

/** An empty database that is filled. What it has stored survives a crash, and the copy continues there. */
export type CopyTarget = {
  shown: string;
  /** What an earlier attempt has copied. */
  loaded(table: CopiedTable): Promise<Loaded>;
  /** Stores rows in their order, and how far they go. */
  load(table: CopiedTable, rows: AsyncIterable<Rows>): Promise<void>;
  /** Creates indexes, and what is derived from rows. `onStep` is called with what is done next. */
  build(onStep: (step: string) => Promise<void>): Promise<void>;
  /** What is stored, in any order. */
  rows(table: CopiedTable): AsyncIterable<Rows>;
  /** Lets servers use the database. */
  complete(): Promise<void>;
  /** Safe to call twice. */
  close(): Promise<void>;
};
