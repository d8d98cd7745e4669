import { and, eq } from "drizzle-orm";
import type { NotificationStore } from "../../../features/notifications/store.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { notificationReads } from "./people-tables.ts";
import { workspaces } from "./tables.ts";

export function createNotificationStore({ orm, transact }: Engine): NotificationStore {
  const { readUntil, alsoRead } = notificationReads;
  const isOf = (workspaceId: WorkspaceId, userId: UserId) =>
    and(eq(notificationReads.workspaceId, workspaceId), eq(notificationReads.userId, userId));

  return {
    async readState(workspaceId, userId) {
      const [state] = await orm
        .select({ readUntil, alsoRead })
        .from(notificationReads)
        .where(isOf(workspaceId, userId));
      return state ?? null;
    },
    changeReadState: (workspaceId, userId, change) =>
      transact(async (connection) => {
        // Before its row, as a merge of workspaces does.
        await connection
          .select({ id: workspaces.id })
          .from(workspaces)
          .where(eq(workspaces.id, workspaceId))
          .for("key share");
        const nothing = { workspaceId, userId, readUntil: 0, alsoRead: [] };
        const inserted = await connection
          .insert(notificationReads)
          .values(nothing)
          .onConflictDoNothing()
          .returning({ userId: notificationReads.userId });
        const [before] = await connection
          .select({ readUntil, alsoRead })
          .from(notificationReads)
          .where(isOf(workspaceId, userId))
          .for("update");
        const state = change(inserted.length > 0 ? null : (before ?? null));
        await connection.update(notificationReads).set(state).where(isOf(workspaceId, userId));
        return state;
      }),
  };
}
