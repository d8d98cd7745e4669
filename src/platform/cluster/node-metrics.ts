import type { Metrics } from "../metrics/metrics.ts";
import type { Cluster } from "./cluster.ts";
import type { ClusterNode } from "./model.ts";
import type { ClusterStore } from "./store.ts";

export type NodeMetricsParts = {
  metrics: Metrics;
  node: Pick<ClusterNode, "id" | "host" | "role" | "version">;
  hasLead: () => boolean;
};

/** Metrics of every process, also with the embedded database. */
export function addNodeMetrics({ metrics, node, hasLead }: NodeMetricsParts): void {
  const { id, host, role, version } = node;
  metrics.addGauge("outreachd_node_info", "Always 1.", () => [[{ node: id, host, role, version }, 1]]);
  metrics.addGauge(
    "outreachd_chore_holder",
    "1 if this node runs the recurring chores of all nodes, otherwise 0.",
    () => [[{}, hasLead() ? 1 : 0]],
  );
}

/** Metrics of a process that shares a database with others. */
export function addClusterMetrics(
  metrics: Metrics,
  cluster: Cluster,
  store: ClusterStore,
  aheadMs: () => number,
): void {
  metrics.addGauge(
    "outreachd_node_pool_connections",
    "Connections of this node to the database. open: connected; busy: running a statement; waiting: statements that wait for a connection.",
    () => {
      const { open, busy, waiting } = store.poolUse();
      return [
        [{ state: "open" }, open],
        [{ state: "busy" }, busy],
        [{ state: "waiting" }, waiting],
      ];
    },
  );
  metrics.addGauge("outreachd_node_pool_size", "Maximum number of connections of this node to the database.", () => [
    [{}, store.poolUse().size],
  ]);
  metrics.addGauge(
    "outreachd_clock_offset_seconds",
    "How far the clock of this machine is ahead of the clock of the database.",
    () => [[{}, aheadMs() / 1000]],
  );
  metrics.addGauge(
    "outreachd_key_version_lag_seconds",
    "Time since this node last asked the database for changes to keys and members.",
    () => [[{}, cluster.pulseAgeMs / 1000]],
  );
}
