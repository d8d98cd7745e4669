import { and, asc, eq, sql } from "drizzle-orm";
import type { WorkspaceStore } from "../../../features/workspaces/store.ts";
import type { Workspace } from "../../../platform/auth/workspace-model.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";
import type { SharedRows } from "./shared-rows.ts";
import { members, users, workspaces } from "./tables.ts";
import { userOf } from "./users.ts";

export function createWorkspaceStore({ orm, writer }: Engine, { audits }: SharedRows): WorkspaceStore {
  const at = sql.placeholder;
  const holder = lazy(() =>
    orm
      .select({ role: users.role, member: { role: members.role, permissions: members.permissions } })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(
        and(
          eq(members.workspaceId, at("workspaceId")),
          eq(members.userId, at("userId")),
          eq(members.isActive, true),
          eq(users.isActive, true),
        ),
      )
      .prepare(),
  );

  const membersOf = () =>
    orm.select({ member: members, user: users }).from(members).innerJoin(users, eq(users.id, members.userId));

  return {
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
      const row = membersOf()
        .where(and(eq(members.workspaceId, id), eq(members.userId, userId)))
        .get();
      return row === undefined ? null : { member: row.member, user: userOf(row.user) };
    },
  };
}

function workspaceOf({ seq: _seq, ...workspace }: typeof workspaces.$inferSelect): Workspace {
  return workspace;
}
