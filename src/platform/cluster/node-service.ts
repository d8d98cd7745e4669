import { requireAdmin, type Caller } from "../auth/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { MetricsStore } from "../metrics/store.ts";
import type { ClusterNode, NodeBeat, NodeList } from "./model.ts";
import { nodeView } from "./node-views.ts";
import type { ClusterStore } from "./store.ts";

export type NodeParts = {
  /** Null: this process is the only one. */
  store: ClusterStore | null;
  queue: Pick<MetricsStore, "oldestDueAt">;
  clock: Pick<Clock, "now">;
  /** When jobs are due: in a simulation, not the time of the nodes. */
  jobClock: Pick<Clock, "now">;
  node: Omit<ClusterNode, keyof NodeBeat>;
  /** What the node with the lead does for all. */
  chores: readonly string[];
};

/** The nodes that share a database, for operators. */
export class NodeService {
  readonly #parts: NodeParts;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /** In the order in which they started. Nodes that were not seen for an hour are forgotten. */
  async list(caller: Caller): Promise<NodeList> {
    requireAdmin(caller);
    const { store, queue, clock, jobClock, node, chores } = this.#parts;
    const [now, jobsNow] = [clock.now(), jobClock.now()];
    const [dueAt, found] = await Promise.all([queue.oldestDueAt(jobsNow), store === null ? null : read(store, now)]);
    const { nodes, ...facts } = found ?? this.#alone(now);
    return {
      clustered: store !== null,
      claimLagMs: dueAt === null ? 0 : Math.max(0, jobsNow - dueAt),
      nodes: nodes.map((each) => nodeView(each, { ...facts, now, selfId: node.id, chores })),
    };
  }

  #alone(now: number): Awaited<ReturnType<typeof read>> {
    const { node } = this.#parts;
    const self = { ...node, state: "running" as const, seenAt: now, clockAheadMs: 0, keysVersion: 0, pool: null };
    return { nodes: [self], leader: node.id, keysVersion: 0 };
  }
}

async function read(store: ClusterStore, now: number) {
  const [nodes, leader, keysVersion] = await Promise.all([store.nodes(), store.leader(now), store.keysVersion()]);
  return { nodes, leader, keysVersion };
}
