import type { SQLQueryBindings } from "bun:sqlite";
import type { ThreadPort } from "../../threads.ts";
import { openForReading } from "./open.ts";

export type ReadRequest = { id: number; sql: string; params: unknown[] };
export type ReadAnswer = { id: number; rows: unknown[] } | { id: number; error: string };

export type ReaderThread = { task: "sqlite-reader"; init: { path: string }; port: ThreadPort<ReadRequest, ReadAnswer> };

/** The other end of `Reader`: answers each request in turn. Statements are cached by their text. */
export function runReaderThread(port: ReaderThread["port"], init: ReaderThread["init"]): void {
  const database = openForReading(init.path);
  port.onMessage(({ id, sql, params }) => {
    try {
      port.post({ id, rows: database.query(sql).all(...(params as SQLQueryBindings[])) });
    } catch (error) {
      port.post({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
}
