import { isoTime } from "../base/clock.ts";
import { isGone, type ClusterNode, type NodeView } from "./model.ts";

/** What is known about all nodes. */
export type ClusterFacts = {
  now: number;
  selfId: string;
  /** The node that has the lead. */
  leader: string | null;
  /** The latest version of keys. */
  keysVersion: number;
  /** What the node with the lead does for all. */
  chores: readonly string[];
};

export function nodeView(
  { id, host, pid, role, state, version, startedAt, seenAt, clockAheadMs, pool, ...node }: ClusterNode,
  { now, selfId, leader, keysVersion, chores }: ClusterFacts,
): NodeView {
  const hasGone = isGone(seenAt, now);
  const hasLead = id === leader && !hasGone;
  return {
    ...{ id, host, pid, role, version, clockAheadMs, pool },
    state: hasGone ? "gone" : state,
    isSelf: id === selfId,
    hasLead,
    chores: hasLead ? [...chores] : [],
    startedAt: isoTime(startedAt),
    seenAt: isoTime(seenAt),
    keysVersion: node.keysVersion,
    hasCurrentKeys: node.keysVersion >= keysVersion,
  };
}
