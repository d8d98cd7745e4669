import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { intersect, union } from "drizzle-orm/pg-core";
import {
  accountChanges,
  namesOfPaused,
  newMembers,
  obsoleteInvitations,
  renamedRequest,
  workspaceInPayload,
  type MovingAccount,
} from "../../../../features/workspaces/merge/decisions.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import { creditLedger, creditReservations } from "../credit-tables.ts";
import { importCreated, importRows } from "../directory/tables.ts";
import type { Connection } from "../engine.ts";
import { networkAccounts } from "../network-tables.ts";
import { invitations } from "../people-tables.ts";
import { jobs, members, users, workspaces } from "../tables.ts";
import type { Sides } from "./tables.ts";

/** Gives the remaining workspace its new members, and removes those of the other one. */
export async function mergeMembers(connection: Connection, { from, into }: Sides, at: number): Promise<void> {
  const of = (id: WorkspaceId) => connection.select().from(members).where(eq(members.workspaceId, id));
  const added = newMembers(await of(from.id), await of(into.id), into.id, at);
  if (added.length > 0) await connection.insert(members).values(added);
  await connection.delete(members).where(eq(members.workspaceId, from.id));
}

/** After members. */
export async function mergeInvitations(connection: Connection, { from, into }: Sides): Promise<void> {
  const { id, emailKey, workspaceId } = invitations;
  const of = (workspace: WorkspaceId) =>
    connection.select({ id, emailKey }).from(invitations).where(eq(workspaceId, workspace));
  const ofMembers = await connection
    .select({ emailKey: users.emailKey })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .where(eq(members.workspaceId, into.id));
  const ended = obsoleteInvitations(
    await of(from.id),
    await of(into.id),
    ofMembers.map((user) => user.emailKey),
  );
  await connection.delete(invitations).where(inArray(id, ended));
  await connection.update(invitations).set({ workspaceId: into.id }).where(eq(workspaceId, from.id));
}

/** Returns the names of accounts that it has paused. */
export async function mergeAccounts(connection: Connection, { from, into }: Sides): Promise<string[]> {
  const { id, name, connector, connectorSettings, state, workspaceId } = networkAccounts;
  const of = (workspace: WorkspaceId): Promise<MovingAccount[]> =>
    connection
      .select({ id, name, connector, connectorSettings, state })
      .from(networkAccounts)
      .where(eq(workspaceId, workspace))
      .orderBy(asc(networkAccounts.seq));
  const moving = await of(from.id);
  const [workspace] = await connection
    .select({ name: workspaces.name })
    .from(workspaces)
    .where(eq(workspaces.id, from.id));
  const changes = accountChanges(moving, await of(into.id), workspace!);
  for (const { id: changed, ...values } of changes)
    await connection.update(networkAccounts).set(values).where(eq(id, changed));
  await connection.update(networkAccounts).set({ workspaceId: into.id }).where(eq(workspaceId, from.id));
  return namesOfPaused(moving, changes);
}

/** Ledger and reservations, whose requests are named alike. */
export async function mergeCredits(connection: Connection, { from, into }: Sides): Promise<void> {
  const tables = [creditLedger, creditReservations];
  const requestsOf = (id: WorkspaceId) => {
    const of = (table: (typeof tables)[number]) =>
      connection
        .select({ request: sql<string>`${table.request}` })
        .from(table)
        .where(eq(table.workspaceId, id));
    return union(of(creditLedger), of(creditReservations));
  };
  const inBoth = await intersect(requestsOf(from.id), requestsOf(into.id));
  const names = inBoth.flatMap(({ request }) =>
    request === null ? [] : [[request, renamedRequest(request, from.id)]],
  );
  for (const table of tables) {
    const ofWorkspace = eq(table.workspaceId, from.id);
    if (names.length > 0)
      await connection
        .update(table)
        .set({ request: sql`name.pair ->> 1` })
        .from(sql`json_array_elements(${JSON.stringify(names)}::json) AS name (pair)`)
        .where(and(ofWorkspace, sql`${table.request} = name.pair ->> 0`));
    await connection.update(table).set({ workspaceId: into.id }).where(ofWorkspace);
  }
}

export async function mergeJobs(connection: Connection, { from, into }: Sides): Promise<void> {
  const ofWorkspace = eq(jobs.workspaceId, from.id);
  const ids = () => connection.select({ id: jobs.id }).from(jobs).where(ofWorkspace);
  // Reports of imports name prospects by their number in a directory that no longer exists.
  await connection.update(importRows).set({ prospect: null }).where(inArray(importRows.jobId, ids()));
  await connection.delete(importCreated).where(inArray(importCreated.jobId, ids()));
  const path = JSON.stringify(workspaceInPayload);
  const list = sql`ARRAY(SELECT json_array_elements_text(${path}::json))`;
  await connection
    .update(jobs)
    .set({ payload: sql`jsonb_set(${jobs.payload}, ${list}, to_jsonb(${into.id}::text))` })
    .where(and(ofWorkspace, eq(sql`${jobs.payload} #>> ${list}`, from.id)));
  await connection.update(jobs).set({ workspaceId: into.id }).where(ofWorkspace);
}
