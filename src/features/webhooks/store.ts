import type { EventType } from "../../platform/events/model.ts";
import type { Attempt, Delivery, DeliveryState, DueDelivery, Endpoint, EndpointContent } from "./model.ts";

export type EndpointChange = Partial<EndpointContent> & { isEnabled?: boolean; at: number };

export type DeliveryPageRequest = {
  userId: string;
  endpointId: string;
  state: DeliveryState | null;
  types: readonly EventType[] | null;
  /** Only of events before this one. */
  before: number | null;
  limit: number;
};

export type ReplayRequest = {
  userId: string;
  endpointId: string;
  /** Events of this time, both ends included. */
  from: number;
  to: number;
  /** Also what was delivered. */
  includesDelivered: boolean;
  /** Only events behind this one; null from the beginning. */
  after: number | null;
  /** So many events are looked at. */
  limit: number;
  at: number;
};

/** What came of an attempt: of the delivery, and of its endpoint. */
export type Settlement = {
  endpointId: string;
  eventId: number;
  attempt: Attempt;
  /** It was one that somebody waits for (`asked`). */
  isOnDemand: boolean;
  state: DeliveryState;
  /** Of the next attempt, while it is pending. */
  nextAt: number | null;
  /** The endpoint is left alone until then. */
  backoffUntil: number;
  /** A sentence on why the endpoint is turned off; null: it stays as it is. */
  disableReason: string | null;
};

/** Endpoints that have failed since their last success are told of apart from the others. */
export type DueRequest = { areFailing: boolean; now: number; limit: number };

export type WebhookStore = {
  /** False, and nothing is stored, when the user has `max` endpoints already. */
  insert(endpoint: Endpoint, max: number): Promise<boolean>;
  get(userId: string, id: string): Promise<Endpoint | null>;
  /** Newest first, at most `limit`. */
  list(userId: string, limit: number): Promise<Endpoint[]>;
  /** An endpoint that is turned on begins with what happens from then on, and with what was pending. */
  update(userId: string, id: string, change: EndpointChange): Promise<Endpoint | null>;
  /** The secret of before signs as well until `oldUntil`. */
  rotate(
    userId: string,
    id: string,
    change: { secret: string; oldUntil: number; at: number },
  ): Promise<Endpoint | null>;
  /** False when there is none. Its deliveries are gone with it, at the latest after some calls of `sweep`. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Removes remains of deleted endpoints, at most `limit` deliveries; false when nothing is left. */
  sweep(limit: number): Promise<boolean>;

  /** Of the newest events first. */
  deliveries(request: DeliveryPageRequest): Promise<Delivery[]>;
  /** On all pages together, counted up to 10,000. */
  countDeliveries(request: Omit<DeliveryPageRequest, "before" | "limit">): Promise<number>;
  delivery(userId: string, endpointId: string, eventId: number): Promise<Delivery | null>;
  /**
   * Asks for a `webhook.test` to this endpoint alone, whatever it is narrowed to. While one is asked for, that is the
   * answer.
   */
  test(userId: string, endpointId: string, at: number): Promise<Delivery | null>;
  /** Asks for one delivery again; while `maxAsked` of the endpoint are asked for, it is put into the queue instead. */
  replay(
    userId: string,
    endpointId: string,
    eventId: number,
    request: { at: number; maxAsked: number },
  ): Promise<Delivery | null>;
  /**
   * Puts what the endpoint was not told of a time into the queue, also what happened while it was turned off.
   * `next`: where to go on, null when all was looked at.
   */
  replayRange(request: ReplayRequest): Promise<{ replayed: number; next: number | null }>;

  /** Makes deliveries of the next events, of at most `limit`; answers how many events those were. None is passed over or made twice. */
  fanOut(now: number, limit: number): Promise<number>;
  /** Endpoints with something due, the longest waiting first. */
  dueEndpoints(request: DueRequest): Promise<Endpoint[]>;
  /** What is due for an endpoint, the longest waiting first. */
  due(endpointId: string, now: number, limit: number): Promise<DueDelivery[]>;
  /** Endpoints with something that was asked for, whether they rest or not, the longest waiting first. */
  onDemandEndpoints(limit: number): Promise<Endpoint[]>;
  /** What was asked for of an endpoint and is not in the queue: a test first, then the longest waiting. */
  nextOnDemand(endpointId: string): Promise<DueDelivery | null>;
  /** The next moment behind `now` at which an endpoint has something due in the queue; null: nothing is pending. */
  nextDueAt(now: number): Promise<number | null>;
  /** Writes what came of attempts; tells `webhook.disabled` of endpoints that are turned off. */
  settle(settlements: readonly Settlement[]): Promise<void>;
};
