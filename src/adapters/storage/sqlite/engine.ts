import type { Database } from "bun:sqlite";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import { createCheckpoint } from "./checkpoints.ts";
import { ProspectIndex } from "./directory/prospect-index.ts";
import { openDatabase } from "./open.ts";
import { Reader } from "./reader.ts";
import { SharedRead } from "./shared-read.ts";
import { Writer } from "../../../lib/group-commit/writer.ts";
import { currentRequest } from "../../../platform/base/current-request.ts";
import { sqliteConnection } from "./connection.ts";

/** What every SQLite store works with. */
export type Engine = {
  /** For drizzle queries on the one connection of this thread. */
  orm: BunSQLiteDatabase;
  /** The same connection. */
  database: Database;
  writer: Writer;
  /** For frequent lookups with one or two statements. */
  shared: SharedRead;
  /** For reads that may block the event loop for too long. */
  reader: Reader;
  prospectIndex: ProspectIndex;
  /** Region of phone numbers without a country code; null if it is not configured. */
  phoneRegion: PhoneRegion | null;
};

/** `database` is the file at `path`, if it is already open. */
export function openEngine(
  path: string,
  phoneRegion: PhoneRegion | null = null,
  database = openDatabase(path),
): Engine {
  const reader = new Reader(path);
  const writer = new Writer(sqliteConnection(database, createCheckpoint(database, reader)), currentRequest);
  const prospectIndex = new ProspectIndex({ database, writer }, path);
  const shared = new SharedRead(database);
  return { orm: drizzle(database), database, reader, writer, prospectIndex, shared, phoneRegion };
}
