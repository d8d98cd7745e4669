import type { Database } from "bun:sqlite";
import { placesOf } from "../../../../lib/key-index/key-runs.ts";
import { prospectIdentity } from "../../../../features/prospecting/keys.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import type { ProspectStore } from "../../../../features/prospecting/store.ts";
import { seqOf } from "../../prospect-seq.ts";
import { segments } from "../directory/postings.ts";
import { numberOf } from "../../../../features/prospecting/prospect-id.ts";
import type { Engine } from "../engine.ts";
import type { Side, Sides } from "./tables.ts";

/** One write unit each. */
const prospectsAtOnce = 1000;

type Row = [seq: number, content: string, leadId: string | null, createdAt: number, updatedAt: number];

export function countProspects(database: Database, { owner }: Side): number {
  const row = database.query<{ prospects: number }, [number]>(
    "SELECT prospects FROM prospect_directories WHERE owner = ?",
  );
  return row.get(owner)?.prospects ?? 0;
}

/**
 * Copies a directory into another one; people whom that one has are completed. What was paid for and became a lead stays
 * so. Companies come first, since people are completed by them. Can be repeated.
 */
export async function copyProspects(
  { database, writer }: Engine,
  prospects: ProspectStore,
  { from, into }: Sides,
): Promise<void> {
  await writer.write(() =>
    database.run(
      `INSERT OR IGNORE INTO prospect_companies (owner, key, name_key, content, created_at, updated_at)
       SELECT ?, key, name_key, content, created_at, updated_at FROM prospect_companies WHERE owner = ?`,
      [into.owner, from.owner],
    ),
  );
  const page = database.prepare(
    `SELECT seq, content, lead_id, created_at, updated_at FROM prospects WHERE seq > ? AND seq < ?
     ORDER BY seq LIMIT ${prospectsAtOnce}`,
  );
  const keepHistory = database.prepare(
    "UPDATE prospects SET lead_id = coalesce(lead_id, ?2), created_at = min(created_at, ?3) WHERE seq = ?1",
  );
  const keepReveal = database.prepare(
    `INSERT INTO prospect_reveals (seq, at) SELECT ?1, at FROM prospect_reveals WHERE seq = ?2
     ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
  );
  const end = seqOf(from.owner + 1, 0);
  for (let last: number | undefined = seqOf(from.owner, 0) - 1; last !== undefined;) {
    const found = page.values(last, end) as Row[];
    for (const [at, rows] of Map.groupBy(found, ([, , , , updatedAt]) => updatedAt)) {
      const contents = rows.map(([, content]) => JSON.parse(content) as ProspectContent);
      const told = contents.map((content) => ({ content, identity: prospectIdentity(content) }));
      const stored = await prospects.put(into.id, told, at);
      await writer.write(() => {
        for (const [n, [seq, , leadId, createdAt]] of rows.entries()) {
          const number = numberOf(into.id, stored[n]!.id)!;
          keepHistory.run(seqOf(into.owner, number), leadId, createdAt);
          keepReveal.run(seqOf(into.owner, number), seq);
        }
      });
    }
    last = found.at(-1)?.[0];
  }
}

/** Deletes a directory with its index, inside the merge's transaction. */
export function removeDirectory(database: Database, { owner }: Side): void {
  const [first, end] = [seqOf(owner, 0), seqOf(owner + 1, 0)];
  for (const table of ["prospects", "prospect_reveals", "prospect_aliases"])
    database.run(`DELETE FROM ${table} WHERE seq >= ? AND seq < ?`, [first, end]);
  const directory = database.query<{ key_runs: string }, [number]>(
    "SELECT key_runs FROM prospect_directories WHERE owner = ?",
  );
  for (const [run] of JSON.parse(directory.get(owner)?.key_runs ?? "[]") as [number, number][]) {
    const places = placesOf(run);
    database.run("DELETE FROM prospect_key_pages WHERE place BETWEEN ? AND ?", [places.from, places.to]);
  }
  const terms = database.query<{ id: number }, [number]>("SELECT id FROM prospect_terms WHERE owner = ?").all(owner);
  const removePostings = database.prepare("DELETE FROM prospect_postings WHERE place BETWEEN ? AND ?");
  for (const { id } of terms) removePostings.run(id * segments, id * segments + segments - 1);
  for (const table of ["prospect_terms", "prospect_changes", "prospect_companies", "prospect_directories"])
    database.run(`DELETE FROM ${table} WHERE owner = ?`, [owner]);
}
