import { and, eq, inArray, or, sql } from "drizzle-orm";
import {
  identifyPerson,
  type Addresses,
  type PersonLookups,
  type Reached,
  type ReachedProspect,
} from "../../../../features/privacy/identify.ts";
import type { PersonIdentity, PersonScope } from "../../../../features/privacy/model.ts";
import {
  isLeadOfPerson,
  isProspectOfPerson,
  leadKeysOfPerson,
  prospectKeysOfPerson,
} from "../../../../features/privacy/person-keys.ts";
import type { PersonStore } from "../../../../features/privacy/store.ts";
import { maxNamesakes } from "../../../../features/prospecting/directory-decisions.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { placeOfSeq, seqOf } from "../../prospect-seq.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import type { DirectoryIndex } from "../directory/directory-index.ts";
import { listOf } from "../directory/rows.ts";
import { aliases, directories, prospectKeys, prospects } from "../directory/tables.ts";
import type { Connection, Engine } from "../engine.ts";
import { enrichmentResults } from "../enrichment-tables.ts";
import { networkActions } from "../network-tables.ts";
import { idsMergedInto } from "../merged-leads.ts";
import { leadKeys, leads, mergedLeads, workspaces } from "../tables.ts";

/** See `PersonStore.identify`. */
export function createIdentify({ orm }: Engine, index: DirectoryIndex): PersonStore["identify"] {
  return async (scope, given, follow) => {
    const owners = await ownersIn(orm, scope);
    const withDirectory = await directoriesOf(orm, owners);
    for (const owner of withDirectory) await index.prepare(owner);
    return identifyPerson(given, follow, {
      lead: (id) => leadIn(orm, owners, id),
      mergedInto: (leadIds) => idsMergedInto(orm, leadIds),
      leadsWith: (addresses) => leadsWith(orm, owners, addresses),
      prospectsWith: (addresses) => prospectsWith(orm, withDirectory, addresses),
      seenElsewhere: (identity) => seenElsewhere(orm, scope, owners, identity),
    });
  };
}

/** The numbers under which prospects are stored now, besides those given: they may have been merged since. */
export async function currentSeqs(connection: Connection, seqs: readonly number[]): Promise<number[]> {
  const byOwner = Map.groupBy(seqs.map(placeOfSeq), ({ owner }) => owner);
  const merged: number[] = [];
  for (const [owner, those] of byOwner) {
    const numbers = listOf(those.map(({ number }) => number));
    const rows = await connection
      .select({ into: aliases.intoNumber })
      .from(aliases)
      .where(and(eq(aliases.owner, owner), sql`${aliases.number} IN ${numbers}`));
    merged.push(...rows.map(({ into }) => seqOf(owner, into)));
  }
  return [...new Set([...seqs, ...merged])];
}

/** The numbers of the workspaces that are searched. */
async function ownersIn(connection: Connection, { workspaceId }: PersonScope): Promise<number[]> {
  const rows = await connection
    .select({ seq: workspaces.seq })
    .from(workspaces)
    .where(workspaceId === null ? undefined : eq(workspaces.id, workspaceId))
    .orderBy(workspaces.seq);
  return rows.map(({ seq }) => seq);
}

async function directoriesOf(connection: Connection, owners: readonly number[]): Promise<number[]> {
  const rows = await connection
    .select({ owner: directories.owner })
    .from(directories)
    .where(sql`${directories.owner} IN ${listOf(owners)}`)
    .orderBy(directories.owner);
  return rows.map(({ owner }) => owner);
}

async function leadIn(
  connection: Connection,
  owners: readonly number[],
  id: string,
): ReturnType<PersonLookups["lead"]> {
  const survivor = connection.select({ id: mergedLeads.leadId }).from(mergedLeads).where(eq(mergedLeads.id, id));
  const [lead] = await connection
    .select()
    .from(leads)
    .where(or(eq(leads.id, id), eq(leads.id, survivor)));
  return lead !== undefined && owners.includes(lead.owner) ? lead : null;
}

async function leadsWith(
  connection: Connection,
  owners: readonly number[],
  addresses: Addresses,
): ReturnType<PersonLookups["leadsWith"]> {
  const keys = owners.flatMap((owner) => leadKeysOfPerson(owner, addresses));
  const found = connection
    .select({ lead: leadKeys.lead })
    .from(leadKeys)
    .where(sql`${leadKeys.key} IN ${listOf(keys)}`);
  const rows = await connection.select().from(leads).where(inArray(leads.seq, found)).orderBy(leads.seq);
  return rows.filter((lead) => owners.includes(lead.owner) && isLeadOfPerson(lead, addresses));
}

async function prospectsWith(
  connection: Connection,
  owners: readonly number[],
  addresses: Addresses,
): Promise<ReachedProspect[]> {
  const rows = await connection.execute<{ owner: number; number: number; json: string }>(sql`
    SELECT DISTINCT ${prospects.owner}, ${prospects.number}, ${prospects.content} AS json
    FROM (SELECT value AS owner FROM ${listOf(owners)} AS list (value)) AS directory
    CROSS JOIN ${listOf(prospectKeysOfPerson(addresses))} AS asked (key)
    CROSS JOIN LATERAL (
      SELECT ${prospectKeys.number} FROM ${prospectKeys}
      WHERE ${prospectKeys.owner} = directory.owner AND ${prospectKeys.key} = asked.key
      ORDER BY ${prospectKeys.number} LIMIT ${maxNamesakes}
    ) AS found
    JOIN ${prospects} ON ${prospects.owner} = directory.owner AND ${prospects.number} = found.number
    ORDER BY ${prospects.owner}, ${prospects.number}`);
  const own = rows
    .map(({ owner, number, json }) => ({ owner, number, content: JSON.parse(json) as ProspectContent }))
    .filter(({ content }) => isProspectOfPerson(content, addresses));
  return Promise.all(
    own.map(async ({ owner, number, content }) => ({
      ...content,
      numbers: [seqOf(owner, number), ...(await formerSeqs(connection, owner, number))],
    })),
  );
}

/** Of records that were merged into this one. */
async function formerSeqs(connection: Connection, owner: number, number: number): Promise<number[]> {
  const rows = await connection
    .select({ number: aliases.number })
    .from(aliases)
    .where(and(eq(aliases.owner, owner), eq(aliases.intoNumber, number)));
  return rows.map((row) => seqOf(owner, row.number));
}

/** Profiles that received actions for the leads, and addresses that were enriched together. */
async function seenElsewhere(
  connection: Connection,
  { workspaceId }: PersonScope,
  owners: readonly number[],
  { leadIds, emails, profiles }: PersonIdentity,
): Promise<Reached[]> {
  const profilesIn = (table: typeof networkActions | typeof campaignEnrollments) =>
    connection
      .selectDistinct({ networkUrl: table.profileKey })
      .from(table)
      .where(
        and(inArray(table.leadId, leadIds), workspaceId === null ? undefined : eq(table.workspaceId, workspaceId)),
      );
  const { email, network, owner } = enrichmentResults;
  const enriched = await connection
    .selectDistinct({ email, networkUrl: network })
    .from(enrichmentResults)
    .where(and(or(inArray(email, emails), inArray(network, profiles)), sql`${owner} IN ${listOf(owners)}`));
  return [...(await profilesIn(networkActions)), ...(await profilesIn(campaignEnrollments)), ...enriched];
}
