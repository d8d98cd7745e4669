import { and, eq, inArray, sql } from "drizzle-orm";
import type { LeadChange, StoredLead } from "../../../features/leads/decisions.ts";
import { allKeysOf, foldedLead, foldedTags, leadIdentity } from "../../../features/leads/identity.ts";
import type { Lead, LeadIdentity, LeadStatus } from "../../../features/leads/model.ts";
import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { NewEvent } from "../../../platform/events/model.ts";
import { appendAudit } from "./audit.ts";
import type { Connection, Engine } from "./engine.ts";
import { codeOf, sqlStates } from "./error-codes.ts";
import { appendEvents } from "./event-rows.ts";
import { addEntries } from "./suppressions.ts";
import { leadCounts, leadKeys, leads, leadTags } from "./tables.ts";

/** Another transaction has changed what the decision was based on. */
class Outdated extends Error {}

/** Far more than ever follow each other by chance. */
const maxTries = 20;

/**
 * A transaction that starts again, with a new decision, if another one has changed a lead that it decided about, or
 * waits for it just as it waits for the other one.
 */
export async function transactAnew<T>({ transact }: Engine, work: (connection: Connection) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(work);
    } catch (error) {
      const isWorthAnother = error instanceof Outdated || codeOf(error) === sqlStates.deadlock;
      if (!isWorthAnother || attempt === maxTries) throw error;
    }
  }
}

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
  const appended: NewEvent[] = [];
  const audits: (AuditEntry | undefined)[] = [];
  for (const change of changes)
    switch (change.kind) {
      case "insert":
        break;
      case "replace":
        await replaceLead(connection, owner, change.before, change.lead, change.identity);
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

export async function replaceLead(
  connection: Connection,
  owner: number,
  { seq, lead: before }: StoredLead,
  lead: Lead,
  identity: LeadIdentity,
): Promise<void> {
  const { workspaceId: _workspaceId, id: _id, ...values } = lead;
  const written = await connection
    .update(leads)
    .set({ ...values, folded: foldedLead(lead) })
    .where(and(eq(leads.seq, seq), eq(leads.version, before.version)))
    .returning({ seq: leads.seq });
  if (written.length === 0) throw new Outdated("The lead was changed by another transaction");
  const [keysBefore, keysNow] = [
    new Set(allKeysOf(owner, leadIdentity(before), before.phone)),
    new Set(allKeysOf(owner, identity, lead.phone)),
  ];
  await removeKeys(connection, seq, [...keysBefore.difference(keysNow)]);
  await addKeys(connection, seq, [...keysNow.difference(keysBefore)]);
  const [tagsBefore, tagsNow] = [foldedTags(before), foldedTags(lead)];
  await removeTags(connection, owner, seq, tagsBefore.difference(tagsNow));
  await addTags(connection, owner, seq, tagsNow.difference(tagsBefore));
  if (lead.status !== before.status)
    await addCounts(connection, owner, [
      [before.status, -1],
      [lead.status, 1],
    ]);
}

/** Its keys and tags go with it. */
async function removeLead(connection: Connection, owner: number, { seq, lead }: StoredLead): Promise<void> {
  const removed = await connection
    .delete(leads)
    .where(and(eq(leads.seq, seq), eq(leads.version, lead.version)))
    .returning({ seq: leads.seq });
  if (removed.length === 0) throw new Outdated("The lead was changed by another transaction");
  await addCounts(connection, owner, [[lead.status, -1]]);
}

/** Appends changes to the counts: to update one row per user would make all writers of a user wait for each other. */
export async function addCounts(
  connection: Connection,
  owner: number,
  counts: readonly [LeadStatus, number][],
): Promise<void> {
  await connection.insert(leadCounts).values(counts.map(([status, change]) => ({ owner, status, leads: change })));
}

async function addKeys(connection: Connection, lead: number, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return;
  await connection
    .insert(leadKeys)
    .values(keys.map((key) => ({ key, lead })))
    .onConflictDoNothing();
}

async function removeKeys(connection: Connection, lead: number, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return;
  await connection.delete(leadKeys).where(and(eq(leadKeys.lead, lead), inArray(leadKeys.key, [...keys])));
}

async function addTags(connection: Connection, owner: number, lead: number, tags: ReadonlySet<string>): Promise<void> {
  if (tags.size === 0) return;
  await connection
    .insert(leadTags)
    .values([...tags].map((tag) => ({ owner, tag, lead })))
    .onConflictDoNothing();
}

async function removeTags(
  connection: Connection,
  owner: number,
  lead: number,
  tags: ReadonlySet<string>,
): Promise<void> {
  if (tags.size === 0) return;
  const isRemoved = sql`${leadTags.tag} IN (SELECT value FROM json_array_elements_text(${JSON.stringify([...tags])}::json))`;
  await connection.delete(leadTags).where(and(eq(leadTags.owner, owner), eq(leadTags.lead, lead), isRemoved));
}
