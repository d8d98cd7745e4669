import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { leadInserter, leadRow, ownerOf, type LeadRow } from "./lead-rows.ts";
import type { Person } from "./people.ts";

/**
 * What the engine allows: the same rows in the same tables with nothing around them. No key is checked, no body is
 * validated, no limit is counted. The database is one that the real migrations made, opened as the server opens it.
 */
export type BareMode = "group-commit" | "transaction-each" | "list";

type Handler = (request: Request) => Response | Promise<Response>;

if (import.meta.main) {
  const [mode, path] = process.argv.slice(2) as [BareMode, string];
  const database = openDatabase(path);
  const owner = ownerOf(database);

  const postInGroups = (): Handler => {
    const insert = leadInserter(database);
    let waiting: { row: LeadRow; resolve: () => void }[] = [];
    const commit = (): void => {
      const batch = waiting;
      waiting = [];
      database.run("BEGIN IMMEDIATE");
      for (const { row } of batch) insert(row);
      database.run("COMMIT");
      for (const { resolve } of batch) resolve();
    };
    return async (request) => {
      const row = leadRow(owner, (await request.json()) as Person, Date.now());
      await new Promise<void>((resolve) => {
        if (waiting.push({ row, resolve }) === 1) setImmediate(commit);
      });
      return Response.json({ success: true, data: row });
    };
  };

  const postOneByOne = (): Handler => {
    const insert = database.transaction(leadInserter(database));
    return async (request) => {
      const row = leadRow(owner, (await request.json()) as Person, Date.now());
      insert.immediate(row);
      return Response.json({ success: true, data: row });
    };
  };

  const list = (): Handler => {
    const newest = database.prepare<LeadRow, [number]>(
      "SELECT * FROM leads WHERE owner = ? ORDER BY created_at DESC, seq DESC LIMIT 50",
    );
    const headers = { "content-type": "application/json" };
    return () => new Response(JSON.stringify({ success: true, data: { leads: newest.all(owner) } }), { headers });
  };

  const modes = { "group-commit": postInGroups, "transaction-each": postOneByOne, list };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: modes[mode]() });
  console.log(String(server.url));
}
