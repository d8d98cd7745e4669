import { sql } from "drizzle-orm";
import { funnelChange, summed } from "../../../../features/campaigns/funnel-marks.ts";
import type { Merged as EnrichmentFields } from "../../../../features/enrichment/model.ts";
import { paidIdentity } from "../../../../features/enrichment/paid-identity.ts";
import { findSame, type StoredLead } from "../../../../features/leads/decisions.ts";
import { allKeysOf, leadIdentity, leadKeysOf } from "../../../../features/leads/identity.ts";
import type { LeadIdentity } from "../../../../features/leads/model.ts";
import { unitedLead } from "../../../../features/workspaces/merge/decisions.ts";
import type { Merged } from "../../../../features/workspaces/merge/model.ts";
import { createFunnelRows } from "../campaign-funnel.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import type { Engine } from "../engine.ts";
import type { LeadParts } from "../lead-parts.ts";
import { storedLead } from "../lead-rows.ts";
import type { Side, Sides } from "./tables.ts";

const leadsAtOnce = 1000;

/**
 * Moves leads, inside the merge's transaction. Those that the other workspace has too are merged into its lead, as an
 * import with `onDuplicate=update` does; two that were duplicates of each other before stay two.
 */
export function moveLeads(
  { orm, database }: Engine,
  { keys, rows }: LeadParts,
  { from, into }: Sides,
  at: number,
): Merged {
  database.run(
    "CREATE TEMP TABLE united_leads (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, into_seq INTEGER NOT NULL, into_id TEXT NOT NULL)",
  );
  const unite = database.prepare("INSERT INTO united_leads VALUES (?, ?, ?, ?)");
  const facts = { owner: into.owner, candidates: (key: number) => rows.candidates(into.id, into.owner, key) };
  // Before any is moved, so that the newcomers are compared with those that were there.
  let united = 0;
  for (const { seq, lead } of leadsOf(database, from)) {
    const same = findSame(facts, leadIdentity(lead));
    if (same === null) continue;
    unite.run(seq, lead.id, same.seq, same.lead.id);
    united++;
  }
  const bySeq = database.prepare("SELECT * FROM leads WHERE seq = ?");
  const isUnited = database.prepare("SELECT into_seq FROM united_leads WHERE seq = ?");
  let moved = 0;
  for (const { seq, lead } of leadsOf(database, from)) {
    const identity = leadIdentity(lead);
    for (const key of allKeysOf(from.owner, identity, lead.phone)) keys.remove(key, seq);
    const [found] = isUnited.values(seq) as [number][];
    if (found === undefined) {
      for (const key of allKeysOf(into.owner, identity, lead.phone)) keys.add(key, seq);
      moved++;
      continue;
    }
    const [row] = bySeq.values(found[0]);
    const kept = storedLead(row!, into.id);
    const both = unitedLead(kept.lead, lead, at);
    rows.replace(kept, both.lead, both.identity);
  }
  for (const [table, column] of referencesToLeads)
    database.run(
      `UPDATE OR IGNORE ${table} SET ${column} = (SELECT into_id FROM united_leads WHERE id = ${column})
       WHERE ${column} IN (SELECT id FROM united_leads)`,
    );
  database.run("INSERT INTO merged_leads (id, lead_id) SELECT id, into_id FROM united_leads");
  removeSecondEnrollments(orm);
  database.run("DELETE FROM lead_tags WHERE owner = ? AND lead IN (SELECT seq FROM united_leads)", [from.owner]);
  database.run("DELETE FROM leads WHERE seq IN (SELECT seq FROM united_leads)");
  database.run("UPDATE leads SET owner = ? WHERE owner = ?", [into.owner, from.owner]);
  database.run("DROP TABLE united_leads");
  return { moved, united };
}

/** The other workspace's lead went through the same campaign. */
function removeSecondEnrollments(orm: Engine["orm"]): void {
  const removed = orm
    .delete(campaignEnrollments)
    .where(sql`${campaignEnrollments.leadId} IN (SELECT id FROM united_leads)`)
    .returning()
    .all();
  createFunnelRows({ orm }).add(summed(removed.flatMap((enrollment) => funnelChange(enrollment, null))));
}

/** Where leads are named by their ID. */
const referencesToLeads: readonly [table: string, column: string][] = [
  ["campaign_enrollments", "lead_id"],
  ["network_actions", "lead_id"],
  ["network_contacts", "lead_id"],
  ["conversations", "lead_id"],
  ["events", "lead_id"],
  ["prospects", "lead_id"],
  ["lead_import_rows", "lead_id"],
  ["merged_leads", "lead_id"],
];

function* leadsOf(database: Engine["database"], { id, owner }: Side): Generator<StoredLead, void, void> {
  const page = database.prepare(`SELECT * FROM leads WHERE owner = ? AND seq > ? ORDER BY seq LIMIT ${leadsAtOnce}`);
  for (let last = 0; ;) {
    const found = page.values(owner, last).map((row) => storedLead(row, id));
    yield* found;
    if (found.length < leadsAtOnce) return;
    last = found.at(-1)!.seq;
  }
}

type ResultRow = [n: number, email: string | null, network: string | null, name: string | null, fields: string];

/** Moves paid results; their keys contain the number of the owner. */
export function moveResults({ database }: Engine, { from, into }: Sides): void {
  const removeKeys = database.prepare("DELETE FROM enrichment_result_keys WHERE result = ?");
  const addKey = database.prepare("INSERT OR IGNORE INTO enrichment_result_keys (key, result) VALUES (?, ?)");
  const results = database.prepare(
    "SELECT n, email, network, name, fields FROM enrichment_results WHERE owner = ? AND n > ? ORDER BY n LIMIT 1000",
  );
  for (let last: number | undefined = 0; last !== undefined;) {
    const found = results.values(from.owner, last) as ResultRow[];
    for (const [n, email, network, name, fields] of found) {
      removeKeys.run(n);
      const identity: LeadIdentity = paidIdentity({ email, network, name }, JSON.parse(fields) as EnrichmentFields);
      const { strong, name: ofName } = leadKeysOf(into.owner, identity);
      for (const key of ofName === null ? strong : [...strong, ofName]) addKey.run(key, n);
    }
    last = found.at(-1)?.[0];
  }
  database.run("UPDATE enrichment_results SET owner = ? WHERE owner = ?", [into.owner, from.owner]);
}
