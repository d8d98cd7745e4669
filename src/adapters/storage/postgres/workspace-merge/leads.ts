import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { funnelChange, summed } from "../../../../features/campaigns/funnel-marks.ts";
import { paidIdentity } from "../../../../features/enrichment/paid-identity.ts";
import { findSame, keysOf, type StoredLead } from "../../../../features/leads/decisions.ts";
import { allKeysOf, leadIdentity } from "../../../../features/leads/identity.ts";
import { unitedLead } from "../../../../features/workspaces/merge/decisions.ts";
import type { Merged } from "../../../../features/workspaces/merge/model.ts";
import { addFunnelChanges } from "../campaign-funnel.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import { listOf } from "../directory/rows.ts";
import { prospects } from "../directory/tables.ts";
import type { Connection, Engine } from "../engine.ts";
import { enrichmentResultKeys, enrichmentResults } from "../enrichment-tables.ts";
import { LeadFactLoader, storedLead } from "../lead-facts.ts";
import { replaceLeads, type Replacement } from "../lead-replacements.ts";
import { decideLoaded } from "../loaded.ts";
import { conversations } from "../inbox-tables.ts";
import { networkActions, networkContacts } from "../network-tables.ts";
import { events, jobs, leadImportRows, leadKeys, leads, mergedLeads } from "../tables.ts";
import type { Side, Sides } from "./tables.ts";

const leadsAtOnce = 1000;

/** A lead that ends, and the lead of the other workspace into which it is merged. */
type United = { seq: number; id: string; intoSeq: number; intoId: string };

/**
 * Moves leads. Those that the other workspace has too are merged into its lead, as an import with `onDuplicate=update`
 * does; two that were duplicates of each other before stay two.
 */
export async function moveLeads(connection: Connection, engine: Engine, sides: Sides, at: number): Promise<Merged> {
  const { from, into } = sides;
  let moved = 0;
  const united: United[] = [];
  // Those that move are not compared with each other: they change their owner last.
  for await (const page of leadsOf(connection, from)) {
    const same = await sameLeads(connection, engine, sides, page);
    united.push(...same.values());
    const moving = page.filter(({ seq }) => !same.has(seq));
    await replaceKeys(connection, into.owner, moving);
    moved += moving.length;
  }
  for (const some of inChunks(united)) {
    await mergeContents(connection, sides, some, at);
    await moveReferences(connection, sides, some);
    // Their keys and tags go with them.
    await connection.delete(leads).where(sql`${leads.seq} IN ${listOf(some.map(({ seq }) => seq))}`);
  }
  await connection.update(leads).set({ owner: into.owner }).where(eq(leads.owner, from.owner));
  return { moved, united: united.length };
}

async function* leadsOf(connection: Connection, { id, owner }: Side): AsyncGenerator<StoredLead[], void, void> {
  for (let last = 0; ;) {
    const rows = await connection
      .select()
      .from(leads)
      .where(and(eq(leads.owner, owner), gt(leads.seq, last)))
      .orderBy(asc(leads.seq))
      .limit(leadsAtOnce);
    if (rows.length > 0) yield rows.map((row) => storedLead(row, id));
    if (rows.length < leadsAtOnce) return;
    last = rows.at(-1)!.seq;
  }
}

/** Leads of the remaining workspace for the same people, by the numbers of those that end. */
async function sameLeads(
  connection: Connection,
  { phoneRegion }: Engine,
  { into }: Sides,
  page: readonly StoredLead[],
): Promise<Map<number, United>> {
  const loader = await LeadFactLoader.open(connection, into.id, phoneRegion, () => []);
  const identities = page.map(({ lead }) => leadIdentity(lead));
  loader.expectCandidates(identities.flatMap((identity) => keysOf(into.owner, identity)));
  const found = await decideLoaded(() => identities.map((identity) => findSame(loader.facts, identity)), loader);
  return new Map(
    page.flatMap(({ seq, lead: { id } }, n): [number, United][] => {
      const same = found[n];
      return same ? [[seq, { seq, id, intoSeq: same.seq, intoId: same.lead.id }]] : [];
    }),
  );
}

/** The number of the owner is part of the keys. */
async function replaceKeys(connection: Connection, owner: number, moving: readonly StoredLead[]): Promise<void> {
  if (moving.length === 0) return;
  await connection.delete(leadKeys).where(sql`${leadKeys.lead} IN ${listOf(moving.map(({ seq }) => seq))}`);
  const keys = moving.flatMap(({ seq, lead }) =>
    allKeysOf(owner, leadIdentity(lead), lead.phone).map((key) => ({ key, lead: seq })),
  );
  if (keys.length > 0) await connection.insert(leadKeys).values(keys).onConflictDoNothing();
}

async function mergeContents(
  connection: Connection,
  { from, into }: Sides,
  united: readonly United[],
  at: number,
): Promise<void> {
  const gone = await leadsBySeq(connection, from, united.map(({ seq }) => seq)); // prettier-ignore
  const kept = await leadsBySeq(connection, into, united.map(({ intoSeq }) => intoSeq)); // prettier-ignore
  const replacements: Replacement[] = [];
  for (const { seq, intoSeq } of united) {
    const before = kept.get(intoSeq)!;
    const both = unitedLead(before.lead, gone.get(seq)!.lead, at);
    replacements.push({ before, ...both });
    kept.set(intoSeq, { seq: intoSeq, lead: both.lead });
  }
  await replaceLeads(connection, into.owner, replacements);
}

async function leadsBySeq(
  connection: Connection,
  { id, owner }: Side,
  seqs: readonly number[],
): Promise<Map<number, StoredLead>> {
  const rows = await connection
    .select()
    .from(leads)
    .where(and(eq(leads.owner, owner), sql`${leads.seq} IN ${listOf(seqs)}`));
  return new Map(rows.map((row) => [row.seq, storedLead(row, id)]));
}

/** Whatever names a lead that ends names the other one from now on. */
async function moveReferences(connection: Connection, { from }: Sides, united: readonly United[]): Promise<void> {
  const pairs = sql`json_to_recordset(${JSON.stringify(united)}::json) AS united (id text, "intoId" text)`;
  await removeSecondEnrollments(connection, pairs);
  const ofJobs = connection.select({ id: jobs.id }).from(jobs).where(eq(jobs.workspaceId, from.id));
  const references = [
    { table: campaignEnrollments, within: eq(campaignEnrollments.workspaceId, from.id) },
    { table: networkActions, within: eq(networkActions.workspaceId, from.id) },
    { table: networkContacts },
    { table: conversations, within: eq(conversations.workspaceId, from.id) },
    { table: events },
    { table: prospects, within: eq(prospects.owner, from.owner) },
    { table: mergedLeads },
    { table: leadImportRows, within: inArray(leadImportRows.jobId, ofJobs) },
  ];
  for (const { table, within } of references)
    await connection
      .update(table)
      .set({ leadId: sql`united."intoId"` })
      .from(pairs)
      .where(and(within, sql`${table.leadId} = united.id`));
  await connection.insert(mergedLeads).values(united.map(({ id, intoId }) => ({ id, leadId: intoId })));
}

/** Of two leads for one person in a campaign, the one that was enrolled first stays in it. */
async function removeSecondEnrollments(connection: Connection, pairs: ReturnType<typeof sql>): Promise<void> {
  const { id, campaignId, leadId } = campaignEnrollments;
  const ranked = sql`SELECT ${id} AS id,
      row_number() OVER (PARTITION BY ${campaignId}, united."intoId" ORDER BY ${id}) AS place
    FROM ${campaignEnrollments} JOIN ${pairs} ON united.id = ${leadId}`;
  const removed = await connection
    .delete(campaignEnrollments)
    .where(sql`${id} IN (SELECT id FROM (${ranked}) AS ranked WHERE place > 1)`)
    .returning();
  await addFunnelChanges(connection, summed(removed.flatMap((enrollment) => funnelChange(enrollment, null))));
}

/** Leads that are merged into the same one stay together. */
function inChunks(united: readonly United[]): United[][] {
  const chunks: United[][] = [];
  for (const some of Map.groupBy(united, ({ intoSeq }) => intoSeq).values()) {
    const last = chunks.at(-1);
    if (last === undefined || last.length >= leadsAtOnce) chunks.push([...some]);
    else last.push(...some);
  }
  return chunks;
}

/** Moves paid results; their keys contain the number of the owner. */
export async function moveResults(connection: Connection, { from, into }: Sides): Promise<void> {
  const { n, owner } = enrichmentResults;
  for (let last = 0; ;) {
    const rows = await connection
      .select()
      .from(enrichmentResults)
      .where(and(eq(owner, from.owner), gt(n, last)))
      .orderBy(asc(n))
      .limit(leadsAtOnce);
    if (rows.length === 0) break;
    const numbers = listOf(rows.map((row) => row.n));
    await connection.delete(enrichmentResultKeys).where(sql`${enrichmentResultKeys.result} IN ${numbers}`);
    const keys = rows.flatMap((row) => {
      const identity = paidIdentity({ email: row.email, network: row.network, name: row.name }, row.fields);
      return keysOf(into.owner, identity).map((key) => ({ key, result: row.n }));
    });
    if (keys.length > 0) await connection.insert(enrichmentResultKeys).values(keys).onConflictDoNothing();
    last = rows.at(-1)!.n;
  }
  await connection.update(enrichmentResults).set({ owner: into.owner }).where(eq(owner, from.owner));
}
