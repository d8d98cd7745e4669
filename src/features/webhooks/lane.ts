import type { DueDelivery, Endpoint } from "./model.ts";

/** Maximum concurrent posts to a healthy receiver. */
const maxWidth = 32;
/** Deliveries to prefetch, as a multiple of the width, so that a fast receiver does not wait for the next query. */
const prefetchFactor = 4;

/**
 * The in-memory deliveries of one endpoint. Its width (concurrent posts) starts at one, doubles after each success up
 * to a maximum, and drops back to one after a failure, so that a dead receiver occupies a single slot.
 */
export class Lane {
  /** The endpoint as last read from the store. */
  endpoint: Endpoint;
  readonly waiting: DueDelivery[] = [];
  /** IDs of events that are in flight or whose outcome is not stored yet. */
  readonly unsettled = new Set<number>();
  posting = 0;
  #width = 1;
  #isProven = false;
  #isFailing: boolean;
  #isClosed = false;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.#isFailing = endpoint.failures > 0;
  }

  /** Whether the most recent post succeeded. */
  get isProven(): boolean {
    return this.#isProven;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** A closed lane starts no posts. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.unsettled.size === 0;
  }

  /** A failing lane must wait until the outcome is stored, because that determines the backoff. */
  get hasRoom(): boolean {
    return !this.#isClosed && (this.#isFailing ? this.unsettled.size === 0 : this.posting < this.#width);
  }

  /** Number of deliveries to read; 0 while enough are waiting, because each query also returns those already known. */
  get prefetchCount(): number {
    if (this.#isClosed || this.waiting.length >= this.#width) return 0;
    const capacity = this.#isFailing ? 1 : this.#width * prefetchFactor;
    return Math.max(capacity - this.waiting.length - this.posting, 0);
  }

  add(deliveries: readonly DueDelivery[]): void {
    const known = new Set([...this.unsettled, ...this.waiting.map(({ event }) => event.id)]);
    this.waiting.push(...deliveries.filter(({ event }) => !known.has(event.id)));
  }

  recordSuccess(): void {
    this.#isProven = true;
    this.#isFailing = false;
    this.#width = Math.min(this.#width * 2, maxWidth);
  }

  recordFailure(): void {
    this.#isProven = false;
    this.#isFailing = true;
    this.#width = 1;
    // The rest stay in the store, which knows the backoff of the endpoint.
    this.waiting.length = 0;
  }

  /** Call when the endpoint was changed or removed. A new lane reads the waiting deliveries again. */
  close(): void {
    this.#isClosed = true;
    this.waiting.length = 0;
  }
}
