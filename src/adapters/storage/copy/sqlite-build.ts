import type { Database } from "bun:sqlite";
import { StartError } from "../../../platform/base/start-error.ts";
import { keyOfRequest } from "../sqlite/keyed-rows.ts";
import type { SqliteState } from "./sqlite-state.ts";

/** Drops indexes and triggers, so that rows are loaded faster and only as they are. Returns how to create them. */
export function dropSecondary(database: Database): string[] {
  const objects = database
    .query<{ type: string; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, name",
    )
    .all();
  for (const { type, name } of objects) database.run(`DROP ${type} ${name}`);
  return objects.map(({ sql }) => sql);
}

/** Creates them, and what is derived from rows. Continues if it was interrupted. */
export async function buildSqlite(
  database: Database,
  state: SqliteState,
  onStep: (step: string) => Promise<void>,
): Promise<void> {
  if (state.loaded("derived").isComplete) return;
  await onStep("derived tables");
  database.transaction(() => {
    derive(database);
    state.note("derived", { after: null, rows: 0, isComplete: true });
  })();
  for (let left = state.restore; left.length > 0; left = state.restore) {
    const [statement = "", ...others] = left;
    await onStep(/^CREATE (?:UNIQUE )?(?:INDEX|TRIGGER) (\w+)/.exec(statement)?.[1] ?? "indexes");
    database.transaction(() => {
      database.run(statement);
      state.restore = others;
    })();
  }
  await onStep("references");
  const [dangling] = database.query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check").all();
  if (dangling !== undefined)
    throw new StartError(
      `In the source, rows of ${dangling.table} refer to rows of ${dangling.parent} that do not exist.`,
      {
        hint: "Check the source with `outreachd doctor`.",
      },
    );
}

function derive(database: Database): void {
  database.run("DELETE FROM suppression_counts");
  database.run(
    "INSERT INTO suppression_counts (owner, kind, entries) SELECT owner, kind, count(*) FROM suppressions GROUP BY owner, kind",
  );
  database.run(
    `UPDATE prospect_directories SET indexed_to = next_number, changes_to = 0, prospects =
       (SELECT count(*) FROM prospects WHERE seq >= owner * 4294967296 AND seq < (owner + 1) * 4294967296)`,
  );
  database.run(
    `INSERT INTO inbox_words (rowid, scope, words)
       SELECT -seq, hex(workspace_id), person_name FROM conversations WHERE person_name IS NOT NULL ORDER BY seq DESC`,
  );
  database.run(
    `INSERT INTO inbox_words (rowid, scope, words) SELECT seq, hex(workspace_id), text FROM messages
       WHERE text IS NOT NULL AND state <> 'queued' ORDER BY seq`,
  );
  const addKey = database.prepare("INSERT INTO idempotent_request_keys (key, seq) VALUES (?, ?)");
  // In the order of the keys, which begin like the IDs.
  const requests = database.query<{ id: Uint8Array; seq: number }, []>(
    "SELECT id, seq FROM idempotent_requests ORDER BY id, seq",
  );
  for (const { id, seq } of requests.iterate()) addKey.run(keyOfRequest(id), seq);
}
