import type { EventType } from "../../platform/events/model.ts";
import type { EndpointChange, Settlement } from "./change-model.ts";
import type { Delivery, DeliveryState, DueDelivery, Endpoint } from "./model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type DeliveryPageRequest = {
  workspaceId: WorkspaceId;
  endpointId: string;
  state: DeliveryState | null;
  types: readonly EventType[] | null;
  /** Only deliveries of events before this event ID. */
  before: number | null;
  limit: number;
};

export type ReplayRequest = {
  workspaceId: WorkspaceId;
  endpointId: string;
  /** Time range of the events, both ends inclusive. */
  from: number;
  to: number;
  /** Whether to replay delivered events too. */
  includesDelivered: boolean;
  /** Only events after this event ID; null starts at the beginning. */
  after: number | null;
  /** Maximum number of events to scan. */
  limit: number;
  at: number;
};

/** Endpoints whose last attempt failed are listed separately from the others. */
export type DueRequest = { areFailing: boolean; now: number; limit: number };

export type WebhookStore = {
  /** False, and nothing is stored, when the user has `max` endpoints already. */
  insert(endpoint: Endpoint, max: number): Promise<boolean>;
  get(workspaceId: WorkspaceId, id: string): Promise<Endpoint | null>;
  /** Newest first, at most `limit`. */
  list(workspaceId: WorkspaceId, limit: number): Promise<Endpoint[]>;
  /** An endpoint that is enabled receives pending deliveries and events from that time on. */
  update(workspaceId: WorkspaceId, id: string, change: EndpointChange): Promise<Endpoint | null>;
  /** Deliveries are also signed with the previous secret until `oldUntil`. */
  rotate(
    workspaceId: WorkspaceId,
    id: string,
    change: { secret: string; oldUntil: number; at: number },
  ): Promise<Endpoint | null>;
  /** False if the endpoint does not exist. Its deliveries are deleted at the latest after a few calls of `sweep`. */
  remove(workspaceId: WorkspaceId, id: string): Promise<boolean>;
  /** Deletes up to `limit` deliveries of deleted endpoints; false when none are left. */
  sweep(limit: number): Promise<boolean>;

  /** Newest events first. */
  deliveries(request: DeliveryPageRequest): Promise<Delivery[]>;
  /** Total number across all pages, counted up to 10,000. */
  countDeliveries(request: Omit<DeliveryPageRequest, "before" | "limit">): Promise<number>;
  delivery(workspaceId: WorkspaceId, endpointId: string, eventId: number): Promise<Delivery | null>;
  /**
   * Requests a `webhook.test` for this endpoint only, whatever types it subscribes to. If one is already pending,
   * returns that one.
   */
  test(workspaceId: WorkspaceId, endpointId: string, at: number): Promise<Delivery | null>;
  /** Requests a delivery again, on demand; once `maxOnDemand` are pending for the endpoint, it is queued instead. */
  replay(
    workspaceId: WorkspaceId,
    endpointId: string,
    eventId: number,
    request: { at: number; maxOnDemand: number },
  ): Promise<Delivery | null>;
  /**
   * Queues undelivered events of a time range, including those that occurred while the endpoint was disabled.
   * `next`: where to continue, or null when the range is complete.
   */
  replayRange(request: ReplayRequest): Promise<{ replayed: number; next: number | null }>;

  /**
   * Creates the deliveries of the next events, at most `limit`, and returns how many events were processed. Each event
   * is processed exactly once. Null if no endpoint is enabled.
   */
  fanOut(now: number, limit: number): Promise<number | null>;
  /** Endpoints with due deliveries, longest waiting first. */
  dueEndpoints(request: DueRequest): Promise<Endpoint[]>;
  /** Due deliveries of an endpoint, longest waiting first. */
  due(endpointId: string, now: number, limit: number): Promise<DueDelivery[]>;
  /** Endpoints with on-demand deliveries, regardless of backoff, longest waiting first. */
  onDemandEndpoints(limit: number): Promise<Endpoint[]>;
  /** The next on-demand delivery of an endpoint: a test first, then the longest waiting. */
  nextOnDemand(endpointId: string): Promise<DueDelivery | null>;
  /** The next time after `now` at which a queued delivery is due; null if nothing is pending. */
  nextDueAt(now: number): Promise<number | null>;
  /** Stores the outcomes of attempts and emits `webhook.disabled` for endpoints that are disabled. */
  settle(settlements: readonly Settlement[]): Promise<void>;
};
