import type { Attempt, DeliveryState, Endpoint, EndpointContent } from "./model.ts";

export type EndpointChange = Partial<EndpointContent> & { isEnabled?: boolean; at: number };

/** Outcome of an attempt, for the delivery and its endpoint. */
export type Settlement = {
  endpointId: string;
  eventId: number;
  attempt: Attempt;
  /** The attempt was on demand (see `nextOnDemand`). */
  isOnDemand: boolean;
  state: DeliveryState;
  /** Time of the next attempt while the delivery is pending. */
  nextAt: number | null;
  /** No queued delivery of the endpoint is attempted before this time. */
  backoffUntil: number;
  /** Disables the endpoint for this reason, a sentence for the user; null leaves it enabled. */
  disableReason: string | null;
};

/** An endpoint as it is stored. */
export type StoredEndpoint = Endpoint & {
  /** No queued delivery is attempted before this time. */
  restsUntil: number;
};

/** A delivery as it is stored, without its event. */
export type StoredDelivery = {
  state: DeliveryState;
  /** Time of the next attempt from the queue; null if it is not queued. */
  nextAt: number | null;
  /** Time at which a user requested it; null unless it is to be posted on demand. */
  askedAt: number | null;
  /** Attempts since it was queued or requested. */
  tries: number;
  /** The most recent attempts, oldest first. */
  attempts: readonly Attempt[];
};
