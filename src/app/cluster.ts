import { hostname } from "node:os";
import type { Storage } from "../adapters/storage/storage.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import { StartError } from "../platform/base/start-error.ts";
import { version } from "../platform/base/version.ts";
import type { FilesPlace } from "../platform/blobs/place.ts";
import { Cluster } from "../platform/cluster/cluster.ts";
import { isGone, type ClusterNode, type NodeBeat } from "../platform/cluster/model.ts";
import { addClusterMetrics, addNodeMetrics } from "../platform/cluster/node-metrics.ts";
import { NodeService } from "../platform/cluster/node-service.ts";
import type { ClusterStore } from "../platform/cluster/store.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";
import type { KeyRing } from "../platform/auth/access.ts";
import type { Operations } from "../platform/operations/operations.ts";
import type { Config } from "./config/config.ts";
import type { composeEvents } from "./events.ts";
import type { OpenedDatabase } from "./database.ts";

export type ClusterParts = {
  config: Config;
  storage: Storage;
  /** Null: the embedded database. */
  database: OpenedDatabase | null;
  files: FilesPlace;
  /** ID of this process. */
  nodeId: string;
  clock: Clock;
  jobClock: Clock;
  keyRing: KeyRing;
  operations: Operations;
  /** Signals that a job may have become due. */
  poke: () => void;
  delivering: ReturnType<typeof composeEvents>["delivering"];
  chores: readonly Chore[];
  metrics: Metrics | null;
  log: Log;
};

/**
 * Composes this process as a node. `cluster` is null with the embedded database, which only one process can use. Throws
 * `StartError` if another node stores its files elsewhere.
 */
export async function composeCluster(parts: ClusterParts): Promise<{ cluster: Cluster | null; nodes: NodeService }> {
  const { config, storage, database, nodeId, files, clock, jobClock, metrics } = parts;
  const node = {
    id: nodeId,
    host: hostname(),
    pid: process.pid,
    role: config.database?.role ?? "all",
    version,
    files: sharedName(files),
    startedAt: clock.now(),
  };
  const ofLead = parts.chores.filter(({ onEachNode }) => onEachNode !== true).map(({ name }) => name);
  const chores = [...ofLead, "deliver to webhooks"];
  const nodes = new NodeService({ store: storage.cluster, queue: storage.metrics, clock, jobClock, node, chores });
  if (storage.cluster !== null) await refuseOtherFiles(storage.cluster, files, clock);
  const cluster = storage.cluster && database && createCluster(parts, storage.cluster, database, node);
  if (metrics === null) return { cluster, nodes };
  addNodeMetrics({ metrics, node, hasLead: () => cluster?.hasLead ?? true });
  if (cluster !== null) addClusterMetrics(metrics, cluster, storage.cluster!, database!.clockAheadMs);
  return { cluster, nodes };
}

function createCluster(
  { config, clock, keyRing, operations, poke, delivering, log }: ClusterParts,
  store: ClusterStore,
  database: OpenedDatabase,
  node: Omit<ClusterNode, keyof NodeBeat>,
): Cluster {
  return new Cluster({
    store,
    clock,
    sampleTime: database.sampleTime,
    clockAheadMs: database.clockAheadMs,
    monotonic: () => performance.now(),
    node,
    mayLead: node.role !== "api",
    listener: {
      onKeysChanged: () => keyRing.forget(),
      onJobsDue: poke,
      onWebhooksDue: () => delivering.lookAgain(),
      onMaintenance: (state) => operations.followMaintenance(state),
      onLead: async (isLead) => (isLead ? delivering.start() : delivering.stop(config.drainSeconds * 1000)),
    },
    log,
  });
}

/**
 * Throws `StartError` if a node of this database stores its files elsewhere: recordings and imports would be missing on one
 * of them.
 */
async function refuseOtherFiles(store: ClusterStore, place: FilesPlace, clock: Clock): Promise<void> {
  const files = sharedName(place);
  const now = clock.now();
  const other = (await store.nodes()).find((node) => !isGone(node.seenAt, now) && node.files !== files);
  if (other === undefined) return;
  throw new StartError(
    `The node ${other.host} (process ${other.pid}) uses the same database, but stores its files in ${other.files} instead of ${files}.`,
    {
      hint: "Start all nodes with the same --files s3://BUCKET/PREFIX. If they are different installations, give each its own database. If this database was just restored from a dump, try again in 15 seconds: the dump lists the nodes of its time.",
    },
  );
}

/** Equal for two nodes only if both reach the same files by it. */
function sharedName(place: FilesPlace): string {
  return place.kind === "disk" ? `${hostname()}:${place.path}` : `s3://${place.bucket}/${place.prefix}`;
}
