import { and, eq, sql } from "drizzle-orm";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";
import { members, users } from "./tables.ts";

/** Whether an active user is an active member of a workspace. */
export function activeMembers({ orm }: Engine): (workspaceId: WorkspaceId, userId: UserId) => boolean {
  const at = sql.placeholder;
  const find = lazy(() =>
    orm
      .select({ userId: members.userId })
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
  return (workspaceId, userId) => find().get({ workspaceId, userId }) !== undefined;
}
