import postgres from "postgres";
import { keysOf, leadRow } from "./lead-rows.ts";
import type { Person } from "./people.ts";

/**
 * What the engine allows on PostgreSQL: a handler that runs the statements of the server with nothing around them. No key
 * is checked, no body is validated, no limit is counted.
 */
export type BarePostgresMode = "post" | "list";

if (import.meta.main) {
  const [mode, url, poolSize] = process.argv.slice(2) as [BarePostgresMode, string, string];
  const bigint = { to: 20, from: [20], serialize: String, parse: Number };
  const sql = postgres(url, { max: Number(poolSize), types: { bigint } });
  const [workspace] = await sql<{ id: string; seq: number }[]>`SELECT id, seq FROM workspaces ORDER BY seq LIMIT 1`;
  const { id: workspaceId, seq: owner } = workspace!;

  const post = async (request: Request): Promise<Response> => {
    const person = (await request.json()) as Person;
    const row = leadRow(owner, person, Date.now());
    await sql.begin(async (transaction) => {
      await transaction`SELECT id, seq FROM workspaces WHERE id = ${workspaceId}`;
      await transaction`SELECT pg_advisory_xact_lock_shared(1), pg_advisory_xact_lock_shared(${owner}::bigint)`;
      await transaction`SELECT seq FROM suppressions WHERE owner = ${owner} OR owner IS NULL LIMIT 1`;
      const lead = { ...row, tags: transaction.json(person.tags), custom_fields: transaction.json({}) };
      const [stored] = await transaction<{ seq: number }[]>`INSERT INTO leads ${transaction(lead)} RETURNING seq`;
      const { seq } = stored!;
      const keys = keysOf(row).map((key) => ({ key, lead: seq }));
      await transaction`INSERT INTO lead_keys ${transaction(keys)} ON CONFLICT DO NOTHING`;
      const tags = person.tags.map((tag) => ({ owner, tag, lead: seq }));
      if (tags.length > 0) await transaction`INSERT INTO lead_tags ${transaction(tags)} ON CONFLICT DO NOTHING`;
      await transaction`INSERT INTO lead_counts (owner, status, leads) VALUES (${owner}, 'new', 1)`;
      const at = Number(row["created_at"]);
      await transaction`
        INSERT INTO events (owner, type, at, lead_id, data)
        VALUES (${owner}, 'lead.created', ${at}, ${String(row["id"])}, '{}')`;
    });
    return Response.json({ success: true, data: row });
  };

  const list = async (): Promise<Response> => {
    const [leads, [counted]] = await Promise.all([
      sql`SELECT * FROM leads WHERE owner = ${owner} ORDER BY created_at DESC, seq DESC LIMIT 51`,
      sql`SELECT coalesce(sum(leads), 0)::bigint AS n FROM lead_counts WHERE owner = ${owner}`,
    ]);
    return Response.json({ success: true, data: { leads, total: counted?.["n"] } });
  };

  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: mode === "post" ? post : list });
  console.log(String(server.url));
}
