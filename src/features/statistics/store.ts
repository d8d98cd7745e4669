import type { WorkspaceId } from "../../platform/base/ids.ts";

/** What happened on the network in an interval. */
export type ActivityCounts = {
  invites: number;
  messages: number;
  accepted: number;
  /** People, each of them once per interval. */
  replied: number;
};

export type StatisticsStore = {
  /**
   * Counts what the accounts of a workspace did and what people answered, between each two of `bounds`, which ascend:
   * one entry fewer than bounds.
   */
  activity(workspaceId: WorkspaceId, bounds: readonly number[]): Promise<ActivityCounts[]>;
};
