import { and, asc, count, eq, inArray } from "drizzle-orm";
import type { MemberFacts, NewWorkspace, WorkspaceStore } from "../../../features/workspaces/store.ts";
import type { Workspace } from "../../../platform/auth/workspace-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { isActiveMember } from "./active-members.ts";
import type { Engine } from "./engine.ts";
import { keyEvent } from "../../../features/workspaces/keys/key-event.ts";
import { newerThan } from "./list-pages.ts";
import { insertAccountRow } from "./network-accounts.ts";
import { lazy } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import { apiKeys, creditLedger, members, users, workspaces } from "./tables.ts";
import { userOf } from "./user-rows.ts";

export function createWorkspaceStore(engine: Engine, { audits, events }: CommonRows): WorkspaceStore {
  const { orm, writer } = engine;
  const holder = lazy(() =>
    orm
      .select({ role: users.role, member: { role: members.role, permissions: members.permissions } })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(isActiveMember)
      .prepare(),
  );

  const membersOf = () =>
    orm.select({ member: members, user: users }).from(members).innerJoin(users, eq(users.id, members.userId));

  const isMember = (id: WorkspaceId, userId: UserId) => and(eq(members.workspaceId, id), eq(members.userId, userId));

  function factsOf(id: WorkspaceId, userIds: readonly UserId[]): MemberFacts {
    const found = orm
      .select()
      .from(members)
      .where(and(eq(members.workspaceId, id), inArray(members.userId, [...userIds])));
    const owners = orm
      .select({ n: count() })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(
        and(
          eq(members.workspaceId, id),
          eq(members.role, "owner"),
          eq(members.isActive, true),
          eq(users.isActive, true),
        ),
      );
    return { members: found.all(), activeOwners: owners.get()?.n ?? 0 };
  }

  function remove(id: WorkspaceId, userId: UserId, at: number): void {
    const keys = orm
      .delete(apiKeys)
      .where(and(eq(apiKeys.workspaceId, id), eq(apiKeys.userId, userId)))
      .returning()
      .all();
    for (const key of keys) events.append(keyEvent("key.deleted", key, at));
    orm.delete(members).where(isMember(id, userId)).run();
  }

  return {
    insert: ({ audit, ...created }) =>
      writer.write(() => {
        insertWorkspaceRows(engine, created);
        audits.append(audit);
      }),
    list: async (limit, after) =>
      orm
        .select()
        .from(workspaces)
        .where(newerThan(workspaces, after))
        .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
        .limit(limit)
        .all()
        .map(workspaceOf),
    count: async () => orm.select({ n: count() }).from(workspaces).get()?.n ?? 0,
    changeMembers: (id, userIds, decide) =>
      writer.write(() => {
        const { write, remove: removed, audit } = decide(factsOf(id, userIds));
        for (const member of write) {
          const target = [members.workspaceId, members.userId];
          orm.insert(members).values(member).onConflictDoUpdate({ target, set: member }).run();
        }
        for (const userId of removed) remove(id, userId, audit.at);
        audits.append(audit);
      }),
    holder: async (workspaceId, userId) => holder().get({ workspaceId, userId }) ?? null,
    get: async (id) => {
      const row = orm.select().from(workspaces).where(eq(workspaces.id, id)).get();
      return row === undefined ? null : workspaceOf(row);
    },
    update: (id, change, audit) =>
      writer.write(() => {
        const row = orm.update(workspaces).set(change).where(eq(workspaces.id, id)).returning().get();
        if (row === undefined) return null;
        audits.append(audit);
        return workspaceOf(row);
      }),
    ofUser: async (userId) =>
      orm
        .select({ workspace: workspaces, member: members })
        .from(members)
        .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
        .where(eq(members.userId, userId))
        .orderBy(asc(members.createdAt), asc(members.workspaceId))
        .all()
        .map(({ workspace, member }) => ({ workspace: workspaceOf(workspace), member })),
    members: async (id) =>
      membersOf()
        .where(eq(members.workspaceId, id))
        .orderBy(asc(members.createdAt), asc(members.userId))
        .all()
        .map(({ member, user }) => ({ member, user: userOf(user) })),
    member: async (id, userId) => {
      const row = membersOf().where(isMember(id, userId)).get();
      return row === undefined ? null : { member: row.member, user: userOf(row.user) };
    },
  };
}

export function insertWorkspaceRows(
  engine: Engine,
  { workspace, member, account, grant }: Omit<NewWorkspace, "audit">,
): void {
  const { orm } = engine;
  orm.insert(workspaces).values(workspace).run();
  orm.insert(members).values(member).run();
  insertAccountRow(engine, account);
  if (grant !== null) orm.insert(creditLedger).values(grant).run();
}

export function workspaceOf({ seq: _seq, ...workspace }: typeof workspaces.$inferSelect): Workspace {
  return workspace;
}
