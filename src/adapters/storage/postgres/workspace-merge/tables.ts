import { and, count, eq, getTableColumns, getTableName, inArray, sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { mergePlan, type MergedTable } from "../../../../features/workspaces/merge/plan.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import { idempotentRequests } from "../access-tables.ts";
import { campaignEnrollments, campaigns } from "../campaign-tables.ts";
import { creditBalances, creditLedger, creditReservations } from "../credit-tables.ts";
import * as directory from "../directory/tables.ts";
import type { Connection } from "../engine.ts";
import { emailVerdicts, enrichmentResults, enrichmentSettings, leadHintsDone } from "../enrichment-tables.ts";
import { leadViews } from "../lead-view-tables.ts";
import { conversations, messages, snippets } from "../inbox-tables.ts";
import { networkAccounts, networkActions } from "../network-tables.ts";
import { apiKeys, auditLog, invitations, notificationReads } from "../people-tables.ts";
import { events, jobs, leadCounts, leads, leadTags, members, suppressions } from "../tables.ts";
import { voiceClones } from "../voice-tables.ts";
import { webhookEndpoints } from "../webhook-tables.ts";

/** A workspace, with the number by which large tables know it. */
export type Side = { id: WorkspaceId; owner: number };
export type Sides = { from: Side; into: Side };

const tables = {
  leads,
  enrichment_results: enrichmentResults,
  lead_tags: leadTags,
  lead_hints_done: leadHintsDone,
  suppressions,
  email_verdicts: emailVerdicts,
  enrichment_settings: enrichmentSettings,
  credit_ledger: creditLedger,
  credit_reservations: creditReservations,
  credit_balances: creditBalances,
  jobs,
  members,
  invitations,
  notification_reads: notificationReads,
  api_keys: apiKeys,
  network_accounts: networkAccounts,
  network_actions: networkActions,
  conversations,
  messages,
  snippets,
  campaigns,
  campaign_enrollments: campaignEnrollments,
  saved_searches: directory.savedSearches,
  lead_views: leadViews,
  voice_clones: voiceClones,
  webhook_endpoints: webhookEndpoints,
  events,
  idempotent_requests: idempotentRequests,
  audit_log: auditLog,
} satisfies Record<MergedTable, PgTable>;

/** Tables of a directory of prospects, which are deleted with it. */
export const directoryTables = [
  ...[directory.directories, directory.prospects, directory.prospectKeys, directory.aliases, directory.reveals],
  ...[directory.companies, directory.terms, directory.postings, directory.blocks, directory.changes],
];

/** Derived from other tables. */
export const derivedTables = [leadCounts];

/** Merges the rows of a table about which nothing has to be decided. */
export async function mergeRows(connection: Connection, name: MergedTable, sides: Sides): Promise<void> {
  const { from, into } = sides;
  const table: PgTable = tables[name];
  const move = () => connection.update(table).set(ownedBy(table, into)).where(isOf(table, from));
  switch (mergePlan[name]) {
    case "moveUnlessKnown":
      await removeKnown(connection, name, sides);
      await move();
      return;
    case "moveNewer":
      await mergeVerdicts(connection, sides);
      return;
    case "add":
      await addBalances(connection, sides);
      return;
    case "learn":
      await connection.delete(table).where(isOf(table, from));
      await connection.delete(table).where(isOf(table, into));
      return;
    case "move":
      await move();
      return;
    case "decide":
    case "keep":
  }
}

/** Deletes what the remaining workspace has too. */
async function removeKnown(connection: Connection, name: MergedTable, { from, into }: Sides): Promise<void> {
  if (name === "suppressions") {
    const known = connection.select({ key: suppressions.key }).from(suppressions).where(isOf(suppressions, into));
    await connection.delete(suppressions).where(and(isOf(suppressions, from), inArray(suppressions.key, known)));
  } else if (name === "snippets") {
    const known = connection.select({ name: snippets.name }).from(snippets).where(isOf(snippets, into));
    await connection.delete(snippets).where(and(isOf(snippets, from), inArray(snippets.name, known)));
  } else if (name === "notification_reads") {
    const { userId } = notificationReads;
    const known = connection.select({ userId }).from(notificationReads).where(isOf(notificationReads, into));
    await connection.delete(notificationReads).where(and(isOf(notificationReads, from), inArray(userId, known)));
  } else if (name === "enrichment_settings" && (await countOf(connection, name, into)) > 0) {
    await connection.delete(enrichmentSettings).where(isOf(enrichmentSettings, from));
  }
  // A tag belongs to a lead, and no lead is in both.
}

async function mergeVerdicts(connection: Connection, { from, into }: Sides): Promise<void> {
  const { owner, key, provider, confidence, at } = emailVerdicts;
  const moved = connection
    .select({ owner: sql`${into.owner}::bigint`.as("owner"), key, provider, confidence, at })
    .from(emailVerdicts)
    .where(eq(owner, from.owner));
  await connection
    .insert(emailVerdicts)
    .select(moved)
    .onConflictDoUpdate({
      target: [owner, key, provider],
      set: { confidence: sql`excluded.confidence`, at: sql`excluded.at` },
      setWhere: sql`excluded.at > ${at}`,
    });
  await connection.delete(emailVerdicts).where(eq(owner, from.owner));
}

async function addBalances(connection: Connection, { from, into }: Sides): Promise<void> {
  const { workspaceId, balance } = creditBalances;
  const gone = await connection.delete(creditBalances).where(eq(workspaceId, from.id)).returning();
  if (gone.length === 0) return;
  await connection
    .insert(creditBalances)
    .values(gone.map((row) => ({ ...row, workspaceId: into.id })))
    .onConflictDoUpdate({ target: workspaceId, set: { balance: sql`${balance} + excluded.balance` } });
}

/** Counts the leads of the remaining workspace anew. */
export async function countLeads(connection: Connection, { from, into }: Sides): Promise<void> {
  await connection.delete(leadCounts).where(inArray(leadCounts.owner, [from.owner, into.owner]));
  const counts = await connection
    .select({ owner: leads.owner, status: leads.status, leads: count() })
    .from(leads)
    .where(eq(leads.owner, into.owner))
    .groupBy(leads.owner, leads.status);
  if (counts.length > 0) await connection.insert(leadCounts).values(counts);
}

export function countOf(connection: Connection, name: MergedTable, side: Side): Promise<number> {
  return countRowsOf(connection, tables[name], side);
}

export async function countProspects(connection: Connection, side: Side): Promise<number> {
  return countRowsOf(connection, directory.prospects, side);
}

async function countRowsOf(connection: Connection, table: PgTable, side: Side): Promise<number> {
  const [row] = await connection.select({ n: count() }).from(table).where(isOf(table, side));
  return row?.n ?? 0;
}

/** Rows that are left would be deleted together with the workspace, or belong to none. */
export async function requireNothingLeft(connection: Connection, from: Side): Promise<void> {
  const merged = (Object.keys(mergePlan) as MergedTable[]).filter((name) => mergePlan[name] !== "keep");
  for (const table of [...merged.map((name) => tables[name]), ...directoryTables, ...derivedTables]) {
    const left = await connection
      .select({ one: sql`1` })
      .from(table)
      .where(isOf(table, from))
      .limit(1);
    if (left.length > 0) throw new Error(`The merge has left rows in ${getTableName(table)}`);
  }
}

/** Everything that a workspace has in a table. */
export function isOf(table: PgTable, { id, owner }: Side): SQL {
  const { owner: number, workspaceId } = ownerColumns(table);
  return number === undefined ? eq(workspaceId!, id) : eq(number, owner);
}

function ownedBy(table: PgTable, { id, owner }: Side): Record<string, unknown> {
  return ownerColumns(table).owner === undefined ? { workspaceId: id } : { owner };
}

function ownerColumns(table: PgTable): { owner?: PgColumn; workspaceId?: PgColumn } {
  return getTableColumns(table) as { owner?: PgColumn; workspaceId?: PgColumn };
}
