import { asc, eq, inArray, sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { lockOfEnrolling } from "../../../../features/campaigns/locks.ts";
import { allLeads } from "../../../../features/leads/decisions.ts";
import { lockOfWriter } from "../../../../features/suppression/locks.ts";
import { campaignEnrollments, campaigns } from "../campaign-tables.ts";
import { creditBalances } from "../credit-tables.ts";
import { directories } from "../directory/tables.ts";
import type { Connection } from "../engine.ts";
import { takeLocks } from "../locks.ts";
import { networkAccounts } from "../network-tables.ts";
import { jobs, workspaces } from "../tables.ts";
import type { Sides } from "./tables.ts";

/**
 * Waits for all transactions that use one of the two workspaces, and keeps others away until this one ends: those that
 * change rows, by the locks that they take; those that add rows, by the lock of the workspace that new rows refer to.
 * Returns false if one of the workspaces is gone.
 */
export async function lockBoth(connection: Connection, { from, into }: Sides): Promise<boolean> {
  const ids = [from.id, into.id];
  const owners = [from.owner, into.owner];
  await takeLocks(connection, [
    ...ids.flatMap((id) => [lockOfWriter(id), lockOfEnrolling(id)]),
    ...owners.map((owner) => allLeads(owner, false)),
  ]);
  const isBoth = inArray(workspaces.id, ids);
  await lockRows(connection, networkAccounts, inArray(networkAccounts.workspaceId, ids), networkAccounts.seq);
  await lockRows(connection, directories, inArray(directories.owner, owners), directories.owner);
  // New rows are not kept away yet: their transactions may need what is locked next.
  await lockRows(connection, workspaces, isBoth, workspaces.seq, "no key update");
  await lockRows(connection, jobs, eq(jobs.workspaceId, from.id), jobs.id);
  await lockRows(connection, campaigns, eq(campaigns.workspaceId, from.id), campaigns.id);
  const { workspaceId, id } = campaignEnrollments;
  await lockRows(connection, campaignEnrollments, eq(workspaceId, from.id), id);
  await lockRows(connection, creditBalances, inArray(creditBalances.workspaceId, ids), creditBalances.workspaceId);
  return (await lockRows(connection, workspaces, isBoth, workspaces.seq)) === ids.length;
}

/** Returns how many. They are counted by the database, which may have to lock very many. */
async function lockRows(
  connection: Connection,
  table: PgTable,
  condition: SQL,
  order: PgColumn,
  strength: "update" | "no key update" = "update",
): Promise<number> {
  const rows = connection
    .select({ one: sql`1`.as("one") })
    .from(table)
    .where(condition)
    .orderBy(asc(order))
    .for(strength);
  const [locked] = await connection.select({ n: sql<number>`count(*)`.mapWith(Number) }).from(rows.as("locked"));
  return locked?.n ?? 0;
}
