import { and, eq, inArray, sql } from "drizzle-orm";
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
import { creditReservations } from "../credit-tables.ts";
import type { Engine } from "../engine.ts";
import { networkAccounts } from "../network-tables.ts";
import { creditLedger, invitations, jobs, members, users, workspaces } from "../tables.ts";
import type { Sides } from "./tables.ts";

/** Gives the remaining workspace its new members, and removes those of the other one. */
export function mergeMembers({ orm }: Engine, { from, into }: Sides, at: number): void {
  const of = (id: WorkspaceId) => orm.select().from(members).where(eq(members.workspaceId, id)).all();
  for (const member of newMembers(of(from.id), of(into.id), into.id, at)) orm.insert(members).values(member).run();
  orm.delete(members).where(eq(members.workspaceId, from.id)).run();
}

/** After members. */
export function mergeInvitations({ orm }: Engine, { from, into }: Sides): void {
  const { id, emailKey, workspaceId } = invitations;
  const of = (workspace: WorkspaceId) =>
    orm.select({ id, emailKey }).from(invitations).where(eq(workspaceId, workspace)).all();
  const ofMembers = orm
    .select({ emailKey: users.emailKey })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .where(eq(members.workspaceId, into.id))
    .all();
  const ended = obsoleteInvitations(
    of(from.id),
    of(into.id),
    ofMembers.map((user) => user.emailKey),
  );
  orm.delete(invitations).where(inArray(id, ended)).run();
  orm.update(invitations).set({ workspaceId: into.id }).where(eq(workspaceId, from.id)).run();
}

/** Returns the names of accounts that it has paused. */
export function mergeAccounts({ orm }: Engine, { from, into }: Sides): string[] {
  const { id, name, connector, connectorSettings, state, workspaceId } = networkAccounts;
  const of = (workspace: WorkspaceId): MovingAccount[] =>
    orm
      .select({ id, name, connector, connectorSettings, state })
      .from(networkAccounts)
      .where(eq(workspaceId, workspace))
      .orderBy(networkAccounts.seq)
      .all();
  const moving = of(from.id);
  const workspace = orm.select({ name: workspaces.name }).from(workspaces).where(eq(workspaces.id, from.id)).get();
  const changes = accountChanges(moving, of(into.id), workspace!);
  for (const { id: changed, ...values } of changes)
    orm.update(networkAccounts).set(values).where(eq(id, changed)).run();
  orm.update(networkAccounts).set({ workspaceId: into.id }).where(eq(workspaceId, from.id)).run();
  return namesOfPaused(moving, changes);
}

/** Ledger and reservations, whose requests are named alike. */
export function mergeCredits({ orm }: Engine, { from, into }: Sides): void {
  const tables = [creditLedger, creditReservations];
  const requestsOf = (id: WorkspaceId): Set<string> => {
    const rows = tables.flatMap((table) =>
      orm.selectDistinct({ request: table.request }).from(table).where(eq(table.workspaceId, id)).all(),
    );
    return new Set(rows.flatMap(({ request }) => request ?? []));
  };
  for (const request of requestsOf(from.id).intersection(requestsOf(into.id)))
    for (const table of tables)
      orm
        .update(table)
        .set({ request: renamedRequest(request, from.id) })
        .where(and(eq(table.workspaceId, from.id), eq(table.request, request)))
        .run();
  for (const table of tables)
    orm.update(table).set({ workspaceId: into.id }).where(eq(table.workspaceId, from.id)).run();
}

export function mergeJobs({ orm, database }: Engine, { from, into }: Sides): void {
  const ended = "(SELECT id FROM jobs WHERE workspace_id = ?)";
  // Reports of imports name prospects by their place in a directory that no longer exists.
  database.run(`UPDATE prospect_import_rows SET prospect = NULL WHERE job_id IN ${ended}`, [from.id]);
  database.run(`DELETE FROM prospect_import_created WHERE job_id IN ${ended}`, [from.id]);
  const ofWorkspace = eq(jobs.workspaceId, from.id);
  const path = `$.${workspaceInPayload.join(".")}`;
  orm
    .update(jobs)
    .set({ payload: sql`json_set(${jobs.payload}, ${path}, ${into.id})` })
    .where(and(ofWorkspace, eq(sql`json_extract(${jobs.payload}, ${path})`, from.id)))
    .run();
  orm.update(jobs).set({ workspaceId: into.id }).where(ofWorkspace).run();
}
