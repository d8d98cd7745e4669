import type { Database } from "bun:sqlite";

/**
 * FULL: a commit waits until it is on disk; NORMAL: it is there with the next one that waits; OFF: none waits. Not inside a
 * transaction.
 */
export function setSynchronous(database: Database, how: "FULL" | "NORMAL" | "OFF"): void {
  database.run(`PRAGMA synchronous = ${how}`);
}
