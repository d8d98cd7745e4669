import type { SQLQueryBindings } from "bun:sqlite";
import type { ThreadPort } from "../../threads.ts";
import { openForCheckpoints, openForReading } from "./open.ts";

export type ReadRequest = { sql: string; params: unknown[] } | { checkpoint: true };
export type ReadAnswer = { rows: unknown[] } | { error: string; code: unknown };

export type ReaderThread = { task: "sqlite-reader"; init: { path: string }; port: ThreadPort<ReadRequest, ReadAnswer> };

/** One of the threads of `Reader`: answers each request in turn. Statements are cached by their text. */
export function runReaderThread(port: ReaderThread["port"], { path }: ReaderThread["init"]): void {
  const database = openForReading(path);
  const checkpoint = () => {
    const writable = openForCheckpoints(path);
    try {
      return writable.query("PRAGMA wal_checkpoint(PASSIVE)").all();
    } finally {
      writable.close();
    }
  };
  port.onMessage((request) => {
    try {
      const rows =
        "sql" in request ? database.query(request.sql).all(...(request.params as SQLQueryBindings[])) : checkpoint();
      port.post({ rows });
    } catch (error) {
      // An error that is copied from thread to thread would lose its code.
      const { message, code } = error as Error & { code?: unknown };
      port.post({ error: message, code });
    }
  });
}
