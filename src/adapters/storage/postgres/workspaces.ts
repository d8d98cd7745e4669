import { and, asc, count, eq, inArray } from "drizzle-orm";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import type { MemberFacts, NewWorkspace, WorkspaceStore } from "../../../features/workspaces/store.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Workspace } from "../../../platform/auth/workspace-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { appendAudit } from "./audit.ts";
import { addEntries as addCredits } from "./credit-rows.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { newerThan } from "./list-pages.ts";
import { networkAccounts } from "./network-tables.ts";
import { apiKeys } from "./people-tables.ts";
import { members, users, workspaces } from "./tables.ts";

export function createWorkspaceStore({ orm, transact }: Engine): WorkspaceStore {
  const membersOf = () =>
    orm.select({ member: members, user: users }).from(members).innerJoin(users, eq(users.id, members.userId));

  async function factsOf(connection: Connection, id: WorkspaceId, userIds: readonly UserId[]): Promise<MemberFacts> {
    const found = await connection
      .select()
      .from(members)
      .where(and(eq(members.workspaceId, id), inArray(members.userId, [...userIds])));
    const [owners] = await connection
      .select({ n: count() })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.workspaceId, id), eq(members.role, "owner"), isActive));
    return { members: found, activeOwners: owners?.n ?? 0 };
  }

  async function remove(connection: Connection, id: WorkspaceId, userId: UserId, at: number): Promise<void> {
    const keys = await connection
      .delete(apiKeys)
      .where(and(eq(apiKeys.workspaceId, id), eq(apiKeys.userId, userId)))
      .returning();
    await appendEvents(
      connection,
      keys.map((key) => keyEvent("key.deleted", key, at)),
    );
    await connection.delete(members).where(isMember(id, userId));
  }

  return {
    insert: ({ audit, ...created }) =>
      transact(async (connection) => {
        await insertWorkspaceRows(connection, created);
        await appendAudit(connection, [audit]);
      }),
    list: async (limit, after) =>
      (
        await orm
          .select()
          .from(workspaces)
          .where(newerThan(workspaces, after))
          .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
          .limit(limit)
      ).map(workspaceOf),
    count: async () => (await orm.select({ n: count() }).from(workspaces))[0]?.n ?? 0,
    changeMembers: (id, userIds, decide) =>
      transact(async (connection) => {
        await lockWorkspace(connection, id);
        const { write, remove: removed, audit } = decide(await factsOf(connection, id, userIds));
        for (const member of write)
          await connection
            .insert(members)
            .values(member)
            .onConflictDoUpdate({ target: [members.workspaceId, members.userId], set: member });
        for (const userId of removed) await remove(connection, id, userId, audit.at);
        await appendAudit(connection, [audit]);
      }),
    holder: async (workspaceId, userId) => {
      const [found] = await orm
        .select({ role: users.role, member: { role: members.role, permissions: members.permissions } })
        .from(members)
        .innerJoin(users, eq(users.id, members.userId))
        .where(and(isMember(workspaceId, userId), isActive));
      return found ?? null;
    },
    get: async (id) => {
      const [row] = await orm.select().from(workspaces).where(eq(workspaces.id, id));
      return row === undefined ? null : workspaceOf(row);
    },
    update: (id, change, audit) =>
      transact(async (connection) => {
        const [row] = await connection.update(workspaces).set(change).where(eq(workspaces.id, id)).returning();
        if (row === undefined) return null;
        await appendAudit(connection, [audit]);
        return workspaceOf(row);
      }),
    ofUser: async (userId) =>
      (
        await orm
          .select({ workspace: workspaces, member: members })
          .from(members)
          .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
          .where(eq(members.userId, userId))
          .orderBy(asc(members.createdAt), asc(members.workspaceId))
      ).map(({ workspace, member }) => ({ workspace: workspaceOf(workspace), member })),
    members: async (id) =>
      (await membersOf().where(eq(members.workspaceId, id)).orderBy(asc(members.createdAt), asc(members.userId))).map(
        ({ member, user }) => ({ member, user: userOf(user) }),
      ),
    member: async (id, userId) => {
      const [row] = await membersOf().where(isMember(id, userId));
      return row === undefined ? null : { member: row.member, user: userOf(row.user) };
    },
  };
}

const isActive = and(eq(members.isActive, true), eq(users.isActive, true));
const isMember = (id: WorkspaceId, userId: UserId) => and(eq(members.workspaceId, id), eq(members.userId, userId));

/** Whoever changes members or invitations of a workspace waits until the transaction ends. */
export async function lockWorkspace(connection: Connection, id: WorkspaceId): Promise<void> {
  // "no key update": rows that refer to the workspace, such as new leads, can be inserted meanwhile.
  await connection.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id)).for("no key update");
}

export async function insertWorkspaceRows(
  connection: Connection,
  { workspace, member, account, grant }: Omit<NewWorkspace, "audit">,
): Promise<void> {
  await connection.insert(workspaces).values(workspace);
  await connection.insert(members).values(member);
  await connection.insert(networkAccounts).values(account);
  if (grant !== null) await addCredits(connection, [grant]);
}

export function workspaceOf({ seq: _seq, ...workspace }: typeof workspaces.$inferSelect): Workspace {
  return workspace;
}

export function userOf({ seq: _seq, ...user }: typeof users.$inferSelect): User {
  return user;
}
