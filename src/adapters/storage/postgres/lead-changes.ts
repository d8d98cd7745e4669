import { and, eq } from "drizzle-orm";
import type { LeadChange, StoredLead } from "../../../features/leads/decisions.ts";
import { allKeysOf, foldedLead, foldedTags } from "../../../features/leads/identity.ts";
import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { NewEvent } from "../../../platform/events/model.ts";
import { appendAudit } from "./audit.ts";
import type { Connection } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { addCounts, replaceLeads } from "./lead-replacements.ts";
import { Outdated } from "./outdated.ts";
import { addEntries } from "./suppressions.ts";
import { leadKeys, leads, leadTags } from "./tables.ts";

/** `owner`: number of the user. */
export async function writeLeadChanges(
  connection: Connection,
  owner: number,
  changes: readonly LeadChange[],
): Promise<void> {
  await insertLeads(
    connection,
    owner,
    changes.filter((change) => change.kind === "insert"),
  );
  await replaceLeads(
    connection,
    owner,
    changes.filter((change) => change.kind === "replace"),
  );
  const appended: NewEvent[] = [];
  const audits: (AuditEntry | undefined)[] = [];
  for (const change of changes)
    switch (change.kind) {
      case "insert":
      case "replace":
        break;
      case "remove":
        await removeLead(connection, owner, change.stored);
        break;
      case "suppress":
        await addEntries(connection, [change.entry]);
        break;
      case "audit":
        audits.push(change.entry);
        break;
      case "event":
        appended.push(change.event);
    }
  await appendEvents(connection, appended);
  await appendAudit(connection, audits);
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
  if (keys.length > 0) await connection.insert(leadKeys).values(keys).onConflictDoNothing();
  const tags = stored.flatMap(({ seq, lead }) => [...foldedTags(lead)].map((tag) => ({ owner, tag, lead: seq })));
  if (tags.length > 0) await connection.insert(leadTags).values(tags).onConflictDoNothing();
  const byStatus = Map.groupBy(inserted, ({ lead }) => lead.status);
  await addCounts(
    connection,
    owner,
    [...byStatus].map(([status, those]) => [status, those.length]),
  );
}

type Insertion = Extract<LeadChange, { kind: "insert" }>;

/** Its keys and tags go with it. */
async function removeLead(connection: Connection, owner: number, { seq, lead }: StoredLead): Promise<void> {
  const removed = await connection
    .delete(leads)
    .where(and(eq(leads.seq, seq), eq(leads.version, lead.version)))
    .returning({ seq: leads.seq });
  if (removed.length === 0) throw new Outdated("The lead was changed by another transaction");
  await addCounts(connection, owner, [[lead.status, -1]]);
}
