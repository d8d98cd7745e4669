import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { SavedLeadView } from "./model.ts";

export type LeadViewChange = Partial<Pick<SavedLeadView, "name" | "filters" | "columns" | "sort">> & {
  updatedAt: number;
};

export type LeadViewStore = {
  /** False, and nothing is stored, if the workspace has `most` views already. */
  insert(view: SavedLeadView, most: number): Promise<boolean>;
  get(workspaceId: WorkspaceId, id: string): Promise<SavedLeadView | null>;
  /** Oldest first, at most `limit`, starting after `after`. */
  list(workspaceId: WorkspaceId, limit: number, after: TimePlace | null): Promise<SavedLeadView[]>;
  count(workspaceId: WorkspaceId): Promise<number>;
  /** Null if the workspace has no such view. */
  update(workspaceId: WorkspaceId, id: string, change: LeadViewChange): Promise<SavedLeadView | null>;
  /** False if the workspace has no such view. */
  remove(workspaceId: WorkspaceId, id: string): Promise<boolean>;
};
