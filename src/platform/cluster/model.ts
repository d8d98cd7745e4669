import { Type, type Static } from "@sinclair/typebox";

export const nodeRoles = ["all", "api", "worker"] as const;
/** all: answers requests and runs jobs. api: runs no jobs. worker: only runs jobs and answers health checks. */
export type NodeRole = (typeof nodeRoles)[number];
export type NodeState = "running" | "draining";

/** Connections of a node to the database. */
export type PoolUse = {
  /** At most. */
  size: number;
  open: number;
  /** Of the open ones, those that are running a statement or a transaction. */
  busy: number;
  /** Statements and transactions that wait for a connection. */
  waiting: number;
};

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
  /** Null if it has no pool, or does not report it. */
  pool: PoolUse | null;
};

/** What changes while a node runs. */
export type NodeBeat = Pick<ClusterNode, "state" | "seenAt" | "clockAheadMs" | "keysVersion" | "pool">;

/** A node counts as gone if it was not seen for this long. */
export const goneAfterMs = 15_000;

export function isGone(seenAt: number, now: number): boolean {
  return seenAt <= now - goneAfterMs;
}

const instant = Type.String({ format: "date-time" });

const PoolView = Type.Object({
  size: Type.Integer({ description: "Maximum number of connections (`database-pool`)." }),
  open: Type.Integer({ description: "Open connections." }),
  busy: Type.Integer({ description: "Open connections that are running a statement or a transaction." }),
  waiting: Type.Integer({ description: "Statements and transactions that wait for a connection." }),
});

export const NodeView = Type.Object({
  id: Type.String(),
  host: Type.String({ description: "Name of the machine." }),
  pid: Type.Integer({ description: "ID of the process on it." }),
  role: Type.Union(
    nodeRoles.map((role) => Type.Literal(role)),
    { description: "api: runs no jobs. worker: answers only health checks and metrics. all: does both." },
  ),
  state: Type.Union([Type.Literal("running"), Type.Literal("draining"), Type.Literal("gone")], {
    description: "draining: the node is stopping. gone: it has not reported for 15 seconds.",
  }),
  version: Type.String({ description: "Version of outreachd." }),
  isSelf: Type.Boolean({ description: "Whether this node answered the request." }),
  hasLead: Type.Boolean({
    description: "Whether this node does what only one node should: recurring chores and deliveries to webhooks.",
  }),
  chores: Type.Array(Type.String(), {
    description: "Recurring work that the node does for all. Empty without the lead.",
  }),
  startedAt: instant,
  seenAt: Type.String({ format: "date-time", description: "When the node last reported." }),
  clockAheadMs: Type.Integer({
    description: "How far the clock of the machine is ahead of the clock of the database. Nodes use the latter.",
  }),
  keysVersion: Type.Integer({
    description: "Version of keys and members that the node knows. Each change to them raises it.",
  }),
  hasCurrentKeys: Type.Boolean({ description: "Whether the node knew the latest change when it last reported." }),
  pool: Type.Union([PoolView, Type.Null()], {
    description: "Connections to the database when the node last reported; null with the embedded database.",
  }),
});
export type NodeView = Static<typeof NodeView>;

export const NodeList = Type.Object(
  {
    clustered: Type.Boolean({ description: "False with the embedded database, which only one process can use." }),
    claimLagMs: Type.Integer({
      description: "How long the oldest due job has been waiting for a node to claim it. 0 if no job is due.",
    }),
    nodes: Type.Array(NodeView),
  },
  { $id: "NodeList" },
);
export type NodeList = Static<typeof NodeList>;
