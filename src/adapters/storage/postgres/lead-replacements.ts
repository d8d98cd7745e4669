import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { StoredLead } from "../../../features/leads/decisions.ts";
import { allKeysOf, foldedLead, foldedTags, leadIdentity } from "../../../features/leads/identity.ts";
import type { Lead, LeadIdentity, LeadStatus } from "../../../features/leads/model.ts";
import { pause } from "../../../lib/concurrency/pause.ts";
import { together, type Connection } from "./connection.ts";
import { wellFormedJson } from "./json-rows.ts";
import { addCounts } from "./lead-counts.ts";
import { Outdated } from "./outdated.ts";
import { leadKeys, leads, leadTags } from "./tables.ts";

type Changed = { before: StoredLead; lead: Lead };
export type Replacement = Changed & { identity: LeadIdentity };

/** Building a statement with more leads would hold up other requests. */
const leadsAtOnce = 200;

/**
 * Writes changed leads with their keys, tags, and counts. Throws `Outdated` if one isn't stored as it was before. `owner`:
 * number of the user.
 */
export async function replaceLeads(
  connection: Connection,
  owner: number,
  replacements: readonly Replacement[],
): Promise<void> {
  const merged = [...mergedBySeq(replacements).values()];
  for (let from = 0; from < merged.length; from += leadsAtOnce)
    await replaceSome(connection, owner, merged.slice(from, from + leadsAtOnce));
}

/** A lead that is replaced several times is written once. */
function mergedBySeq(replacements: readonly Replacement[]): Map<number, Replacement> {
  const merged = new Map<number, Replacement>();
  for (const { before, lead, identity } of replacements)
    merged.set(before.seq, { before: merged.get(before.seq)?.before ?? before, lead, identity });
  return merged;
}

/** Writes leads whose texts and custom fields stay, with their tags and counts. Throws `Outdated` like `replaceLeads`. */
export async function patchLeads(connection: Connection, owner: number, patches: readonly Changed[]): Promise<void> {
  if (patches.length > 0)
    await together([patchFrom(connection, owner, patches), addCountsOf(connection, owner, patches)]);
}

/** Builds the next statement while PostgreSQL runs those before it, and lets requests pass in between. */
async function patchFrom(connection: Connection, owner: number, patches: readonly Changed[]): Promise<void> {
  if (patches.length === 0) return;
  const some = patches.slice(0, leadsAtOnce);
  const afterPause = async (work: () => Promise<void>) => {
    await pause();
    await work();
  };
  const rest = () => patchFrom(connection, owner, patches.slice(leadsAtOnce));
  const tags = () => together([replaceTags(connection, owner, some), afterPause(rest)]);
  await together([updateRows(connection, some, patched), afterPause(tags)]);
}

async function replaceSome(connection: Connection, owner: number, some: readonly Replacement[]): Promise<void> {
  await updateRows(connection, some, written);
  await replaceKeys(connection, owner, some);
  await replaceTags(connection, owner, some);
  await addCountsOf(connection, owner, some);
}

async function addCountsOf(connection: Connection, owner: number, some: readonly Changed[]): Promise<void> {
  await addCounts(connection, owner, countsOf(some));
}

async function updateRows(connection: Connection, some: readonly Changed[], columns: typeof written): Promise<void> {
  const rows = some.map(({ before: { seq, lead: before }, lead }) => {
    const row: Record<string, unknown> = { seq, before: before.version };
    for (const { name, column } of columns) row[column] = name === "folded" ? foldedLead(lead) : lead[name];
    return row;
  });
  const definitions = sql.join(
    columns.map(({ column, type }) => sql`${sql.identifier(column)} ${sql.raw(type)}`),
    sql`, `,
  );
  const updated = await connection
    .update(leads)
    .set(Object.fromEntries(columns.map(({ name, column }) => [name, sql`changed.${sql.identifier(column)}`])))
    .from(sql`json_to_recordset(${wellFormedJson(rows)}::json) AS changed (seq bigint, before integer, ${definitions})`)
    .where(and(sql`${leads.seq} = changed.seq`, sql`${leads.version} = changed.before`));
  if (updated.count < some.length) throw new Outdated("A lead was changed by another transaction");
}

/** The columns that a change of a lead may write, with the names of the lead's fields. */
const { seq: _seq, id: _id, owner: _owner, ...changeable } = getTableColumns(leads);
const written = Object.entries(changeable).map(([name, column]) => ({
  name: name as keyof typeof changeable,
  column: column.name,
  type: column.getSQLType(),
}));
const patchable: readonly string[] = ["status", "tags", "assignedTo", "version", "updatedAt"];
const patched = written.filter(({ name }) => patchable.includes(name));

async function replaceKeys(connection: Connection, owner: number, some: readonly Replacement[]): Promise<void> {
  const changes = some.map(({ before, lead, identity }) => ({
    lead: before.seq,
    before: new Set(allKeysOf(owner, leadIdentity(before.lead), before.lead.phone)),
    now: new Set(allKeysOf(owner, identity, lead.phone)),
  }));
  const pairs = (keys: ReadonlySet<number>, lead: number) => [...keys].map((key) => ({ key, lead }));
  const removed = changes.flatMap(({ lead, before, now }) => pairs(before.difference(now), lead));
  const added = changes.flatMap(({ lead, before, now }) => pairs(now.difference(before), lead));
  if (removed.length > 0)
    await connection.delete(leadKeys).where(
      sql`(${leadKeys.key}, ${leadKeys.lead}) IN (
        SELECT key, lead FROM json_to_recordset(${wellFormedJson(removed)}::json) AS removed (key bigint, lead bigint))`,
    );
  if (added.length > 0) await connection.insert(leadKeys).values(added).onConflictDoNothing();
}

async function replaceTags(connection: Connection, owner: number, some: readonly Changed[]): Promise<void> {
  // Folding the tags of every lead would take as long as all else that is done here.
  const retagged = some.filter(({ before, lead }) => before.lead.tags !== lead.tags);
  const changes = retagged.map(({ before, lead }) => ({
    lead: before.seq,
    before: foldedTags(before.lead),
    now: foldedTags(lead),
  }));
  const pairs = (tags: ReadonlySet<string>, lead: number) => [...tags].map((tag) => ({ tag, lead }));
  const removed = changes.flatMap(({ lead, before, now }) => pairs(before.difference(now), lead));
  const added = changes.flatMap(({ lead, before, now }) => pairs(now.difference(before), lead));
  await together([
    removed.length > 0 &&
      connection
        .delete(leadTags)
        .where(
          and(
            eq(leadTags.owner, owner),
            sql`(${leadTags.tag}, ${leadTags.lead}) IN (
              SELECT tag, lead FROM json_to_recordset(${wellFormedJson(removed)}::json) AS removed (tag text, lead bigint))`,
          ),
        )
        .execute(),
    added.length > 0 &&
      connection
        .execute(
          sql`
          INSERT INTO ${leadTags} (owner, tag, lead)
          SELECT ${owner}::bigint, tag, lead
          FROM json_to_recordset(${wellFormedJson(added)}::json) AS added (tag text, lead bigint)
          ON CONFLICT DO NOTHING`,
        )
        .execute(),
  ]);
}

function countsOf(some: readonly Changed[]): [LeadStatus, number][] {
  const counts = new Map<LeadStatus, number>();
  const add = (status: LeadStatus, change: number) => counts.set(status, (counts.get(status) ?? 0) + change);
  for (const { before, lead } of some) {
    if (before.lead.status === lead.status) continue;
    add(before.lead.status, -1);
    add(lead.status, 1);
  }
  return [...counts].filter(([, change]) => change !== 0);
}
