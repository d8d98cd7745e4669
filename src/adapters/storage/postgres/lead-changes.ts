import { sql } from "drizzle-orm";
import type { LeadChange, StoredLead } from "../../../features/leads/decisions.ts";
import { allKeysOf, foldedLead, foldedTags } from "../../../features/leads/identity.ts";
import type { LeadStatus } from "../../../features/leads/model.ts";
import { appendAudit } from "./audit.ts";
import { together, type Connection } from "./connection.ts";
import { appendEvents } from "./event-rows.ts";
import { addCounts } from "./lead-counts.ts";
import { relinkLead } from "./lead-relinks.ts";
import { patchLeads, replaceLeads } from "./lead-replacements.ts";
import { Outdated } from "./outdated.ts";
import { addEntries } from "./suppressions.ts";
import { leadKeys, leads, leadTags } from "./tables.ts";

/** `owner`: number of the user. */
export async function writeLeadChanges(
  connection: Connection,
  owner: number,
  changes: readonly LeadChange[],
): Promise<void> {
  const ofKind = <Kind extends LeadChange["kind"]>(kind: Kind) =>
    changes.filter((change): change is Extract<LeadChange, { kind: Kind }> => change.kind === kind);
  // Before the events, one of which is about the lead that others refer to no more.
  for (const { workspaceId, from, to } of ofKind("relink")) await relinkLead(connection, workspaceId, from, to);
  const events = ofKind("event").map(({ event }) => event);
  const owners = new Map(events.flatMap(({ workspaceId }) => (workspaceId === null ? [] : [[workspaceId, owner]])));
  await together([
    insertLeads(connection, owner, ofKind("insert")),
    events.length > 0 && appendEvents(connection, events, { owners }),
  ]);
  await replaceLeads(connection, owner, ofKind("replace"));
  await patchLeads(connection, owner, ofKind("patch"));
  await removeLeads(
    connection,
    owner,
    ofKind("remove").map(({ stored }) => stored),
  );
  const suppressed = ofKind("suppress").map(({ entry }) => entry);
  if (suppressed.length > 0) await addEntries(connection, suppressed);
  await appendAudit(
    connection,
    ofKind("audit").map(({ entry }) => entry),
  );
}

async function insertLeads(connection: Connection, owner: number, inserted: readonly Insertion[]): Promise<void> {
  if (inserted.length === 0) return;
  if (owner === 0) throw new Error(`User ${inserted[0]!.lead.workspaceId} no longer exists`);
  const rows = await connection
    .insert(leads)
    .values(
      inserted.map(({ lead: { workspaceId: _workspaceId, ...values } }) => ({
        ...values,
        owner,
        folded: foldedLead(values),
      })),
    )
    .returning({ seq: leads.seq, id: leads.id });
  const seqs = new Map(rows.map(({ seq, id }) => [id, seq]));
  const stored = inserted.map((each) => ({ ...each, seq: seqs.get(each.lead.id)! }));
  const keys = stored.flatMap(({ seq, lead, identity }) =>
    allKeysOf(owner, identity, lead.phone).map((key) => ({ key, lead: seq })),
  );
  const tags = stored.flatMap(({ seq, lead }) => [...foldedTags(lead)].map((tag) => ({ owner, tag, lead: seq })));
  const byStatus = Map.groupBy(inserted, ({ lead }) => lead.status);
  const counts = [...byStatus].map(([status, those]): [LeadStatus, number] => [status, those.length]);
  await together([
    keys.length > 0 && connection.insert(leadKeys).values(keys).onConflictDoNothing().execute(),
    tags.length > 0 && connection.insert(leadTags).values(tags).onConflictDoNothing().execute(),
    addCounts(connection, owner, counts),
  ]);
}

type Insertion = Extract<LeadChange, { kind: "insert" }>;

/** Their keys and tags go with them. */
async function removeLeads(connection: Connection, owner: number, stored: readonly StoredLead[]): Promise<void> {
  if (stored.length === 0) return;
  const rows = stored.map(({ seq, lead: { version } }) => ({ seq, version }));
  const removed = await connection.delete(leads).where(
    sql`(${leads.seq}, ${leads.version}) IN (
        SELECT seq, version FROM json_to_recordset(${JSON.stringify(rows)}::json) AS removed (seq bigint, version integer))`,
  );
  if (removed.count < stored.length) throw new Outdated("A lead was changed by another transaction");
  const byStatus = Map.groupBy(stored, ({ lead }) => lead.status);
  await addCounts(
    connection,
    owner,
    [...byStatus].map(([status, those]) => [status, -those.length]),
  );
}
