import { and, eq, sql } from "drizzle-orm";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";
import { members, users } from "./tables.ts";

/** Of members with their users: an active user who is an active member. Its parameters are workspaceId and userId. */
export const isActiveMember = and(
  eq(members.workspaceId, sql.placeholder("workspaceId")),
  eq(members.userId, sql.placeholder("userId")),
  eq(members.isActive, true),
  eq(users.isActive, true),
);

/** Whether an active user is an active member of a workspace. */
export function activeMembers({ orm }: Engine): (workspaceId: WorkspaceId, userId: UserId) => boolean {
  const find = lazy(() =>
    orm
      .select({ userId: members.userId })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(isActiveMember)
      .prepare(),
  );
  return (workspaceId, userId) => find().get({ workspaceId, userId }) !== undefined;
}
