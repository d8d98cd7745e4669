import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import type { ReadState } from "./model.ts";

/** What each member has read. */
export type NotificationStore = {
  /** Null if the member has read nothing yet. */
  readState(workspaceId: WorkspaceId, userId: UserId): Promise<ReadState | null>;
  /** Replaces the state by what `change` makes of it, in one transaction. Changes at the same time do not get lost. */
  changeReadState(
    workspaceId: WorkspaceId,
    userId: UserId,
    change: (state: ReadState | null) => ReadState,
  ): Promise<ReadState>;
};
