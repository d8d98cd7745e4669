import type { SQLQueryBindings } from "bun:sqlite";
import type { ThreadPort } from "../../../threads.ts";
import { readLeadHints, type HintsWanted } from "./lead-hints-reading.ts";
import { openForCheckpoints, openForReading } from "./open.ts";

export type ReadRequest =
  | { sql: string; params: unknown[] }
  | { checkpoint: true }
  | { leadHints: HintsWanted }
  /** The last one. */
  | { close: true };
export type ReadAnswer = { value: unknown } | { error: string; code: unknown };

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
  const answerTo = (request: ReadRequest): unknown => {
    if ("close" in request) return database.close();
    if ("sql" in request) return database.query(request.sql).all(...(request.params as SQLQueryBindings[]));
    return "leadHints" in request ? readLeadHints(database, request.leadHints) : checkpoint();
  };
  port.onMessage((request) => {
    try {
      port.post({ value: answerTo(request) });
    } catch (error) {
      // An error that is copied from thread to thread would lose its code.
      const { message, code } = error as Error & { code?: unknown };
      port.post({ error: message, code });
    }
  });
}
