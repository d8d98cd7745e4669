import type { MaintenanceState } from "../operations/model.ts";
import type { ClusterNode, NodeBeat, PoolUse } from "./model.ts";

/** What a node asks for several times a second, to learn what other nodes have done. */
export type Pulse = {
  /** Rises with each change to keys, users, and members. */
  keysVersion: number;
  /** Differs from the previous one if a job of a type becomes due at another time than before. */
  dueJobs: string;
  /** The same for deliveries to webhooks and changes of endpoints. */
  dueWebhooks: string;
  maintenance: MaintenanceState | null;
};

/** The nodes that share a database. */
export type ClusterStore = {
  /** The ID of this installation; `proposed` becomes it if it has none. */
  installationId(proposed: string): Promise<string>;
  /** Time of the database, in milliseconds since 1970. */
  time(): Promise<number>;
  /** Use of the connections of this node. */
  poolUse(): PoolUse;
  /** Also tells listeners to events of this process about events of others. */
  pulse(): Promise<Pulse>;
  /** Adds a node, or replaces the one with its ID. */
  join(node: ClusterNode): Promise<void>;
  /** False if the node is unknown. */
  beat(id: string, beat: NodeBeat): Promise<boolean>;
  leave(id: string): Promise<void>;
  /** In the order in which they started. */
  nodes(): Promise<ClusterNode[]>;
  keysVersion(): Promise<number>;
  /** Deletes nodes that were last seen before `seenBefore`. */
  forget(seenBefore: number): Promise<void>;
  /** Takes the lead until `until` if nobody has it, and extends it if this node has it. False: another node has it. */
  lead(nodeId: string, now: number, until: number): Promise<boolean>;
  /** Lets another node take the lead immediately. */
  resign(nodeId: string): Promise<void>;
  /** The node that has the lead. */
  leader(now: number): Promise<string | null>;
};
