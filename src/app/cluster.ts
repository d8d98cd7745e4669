import { hostname } from "node:os";
import type { Storage } from "../adapters/storage/storage.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import { StartError } from "../platform/base/start-error.ts";
import { version } from "../platform/base/version.ts";
import type { FilesPlace } from "../platform/blobs/place.ts";
import { Cluster } from "../platform/cluster/cluster.ts";
import { isGone } from "../platform/cluster/model.ts";
import type { ClusterStore } from "../platform/cluster/store.ts";
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
  clock: Clock;
  ids: Ids;
  keyRing: KeyRing;
  operations: Operations;
  /** Signals that a job may have become due. */
  poke: () => void;
  delivering: ReturnType<typeof composeEvents>["delivering"];
  log: Log;
};

/**
 * Composes this process as a node. Null with the embedded database, which only one process can use. Throws `StartError` if
 * another node stores its files elsewhere.
 */
export async function composeCluster(parts: ClusterParts): Promise<Cluster | null> {
  const { config, storage, database, files, clock, ids, keyRing, operations, poke, delivering, log } = parts;
  if (storage.cluster === null || database === null || config.database === null) return null;
  await refuseOtherFiles(storage.cluster, files, clock);
  const { role } = config.database;
  const node = {
    id: ids.next(clock.now()),
    host: hostname(),
    pid: process.pid,
    role,
    version,
    files: sharedName(files),
    startedAt: clock.now(),
  };
  return new Cluster({
    store: storage.cluster,
    clock,
    sampleTime: database.sampleTime,
    clockAheadMs: database.clockAheadMs,
    monotonic: () => performance.now(),
    node,
    mayLead: role !== "api",
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
      hint: "Start all nodes with the same --files s3://BUCKET/PREFIX. If they are different installations, give each its own database.",
    },
  );
}

/** Equal for two nodes only if both reach the same files by it. */
function sharedName(place: FilesPlace): string {
  return place.kind === "disk" ? `${hostname()}:${place.path}` : `s3://${place.bucket}/${place.prefix}`;
}
