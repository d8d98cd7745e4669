import type { Database } from "bun:sqlite";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

/** What every SQLite store works with. */
export type Engine = {
  /** For drizzle queries on the one connection of this thread. */
  orm: BunSQLiteDatabase;
  /** The same connection. */
  database: Database;
  writer: Writer;
  /** For reads that may take longer than the event loop can spare. */
  reader: Reader;
};

export function createEngine(database: Database, reader: Reader): Engine {
  return { orm: drizzle(database), database, writer: new Writer(database), reader };
}
