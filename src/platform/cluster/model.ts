import { Type, type Static } from "@sinclair/typebox";

export const nodeRoles = ["all", "api", "worker"] as const;
/** all: answers requests and runs jobs. api: runs no jobs. worker: only runs jobs and answers health checks. */
export type NodeRole = (typeof nodeRoles)[number];
export type NodeState = "running" | "draining";

/** A process that uses the database. */
export type ClusterNode = {
  id: string;
  /** Name of its machine. */
  host: string;
  pid: number;
  role: NodeRole;
  state: NodeState;
  version: string;
  /** Where it stores files. */
  files: string;
  startedAt: number;
  seenAt: number;
  /** How far the clock of its machine is ahead of the clock of the database. */
  clockAheadMs: number;
  /** The version of keys that it works with. */
  keysVersion: number;
};

/** What changes while a node runs. */
export type NodeBeat = Pick<ClusterNode, "state" | "seenAt" | "clockAheadMs" | "keysVersion">;

/** A node counts as gone if it was not seen for this long. */
export const goneAfterMs = 15_000;

export function isGone(seenAt: number, now: number): boolean {
  return seenAt <= now - goneAfterMs;
}

const instant = Type.String({ format: "date-time" });

export const NodeView = Type.Object({
  id: Type.String(),
  host: Type.String({ description: "Name of the machine." }),
  pid: Type.Integer({ description: "ID of the process on it." }),
  role: Type.Union(nodeRoles.map((role) => Type.Literal(role))),
  state: Type.Union([Type.Literal("running"), Type.Literal("draining"), Type.Literal("gone")], {
    description: "gone: the node has not reported for 15 seconds.",
  }),
  version: Type.String(),
  isSelf: Type.Boolean({ description: "Whether this node answered the request." }),
  runsChores: Type.Boolean({ description: "Whether this node runs the recurring work of the cluster." }),
  startedAt: instant,
  seenAt: instant,
  clockAheadMs: Type.Integer({
    description: "How far the clock of the machine is ahead of the clock of the database. Nodes use the latter.",
  }),
  hasCurrentKeys: Type.Boolean({ description: "Whether the node knows the latest change to keys and members." }),
});
export type NodeView = Static<typeof NodeView>;

export const NodeList = Type.Object({
  clustered: Type.Boolean({ description: "False with the embedded database, which only one process can use." }),
  nodes: Type.Array(NodeView),
});
export type NodeList = Static<typeof NodeList>;
