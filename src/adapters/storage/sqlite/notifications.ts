import { and, eq } from "drizzle-orm";
import type { ReadState } from "../../../features/notifications/model.ts";
import type { NotificationStore } from "../../../features/notifications/store.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { notificationReads } from "./tables.ts";

export function createNotificationStore({ orm, writer }: Engine): NotificationStore {
  function stateOf(workspaceId: WorkspaceId, userId: UserId): ReadState | null {
    const { readUntil, alsoRead } = notificationReads;
    const isOfMember = and(eq(notificationReads.workspaceId, workspaceId), eq(notificationReads.userId, userId));
    return orm.select({ readUntil, alsoRead }).from(notificationReads).where(isOfMember).get() ?? null;
  }
  return {
    readState: async (workspaceId, userId) => stateOf(workspaceId, userId),
    changeReadState: (workspaceId, userId, change) =>
      writer.write(() => {
        const state = change(stateOf(workspaceId, userId));
        const target = [notificationReads.workspaceId, notificationReads.userId];
        orm
          .insert(notificationReads)
          .values({ workspaceId, userId, ...state })
          .onConflictDoUpdate({ target, set: state })
          .run();
        return state;
      }),
  };
}
