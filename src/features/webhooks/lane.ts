import type { DueDelivery, Endpoint } from "./model.ts";

/** A healthy receiver gets at most so many at a time. */
const maxWidth = 32;
/** Read ahead, in lots of the width, so that a fast receiver does not wait for the next look. */
const prefetchFactor = 4;

/**
 * The deliveries of one endpoint that are in memory. It begins with one at a time, and takes twice as many after each
 * success until it is wide; a failure makes it narrow again, so that a dead receiver holds one place and no more.
 */
export class Lane {
  /** As it was when last read. */
  endpoint: Endpoint;
  readonly waiting: DueDelivery[] = [];
  /** Ids of events that are being posted, or whose outcome is not written yet. */
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

  /** It took something lately. */
  get isProven(): boolean {
    return this.#isProven;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Nothing is begun any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.unsettled.size === 0;
  }

  /** While it fails, an outcome must be written first: it says how long the endpoint is to be left alone. */
  get hasRoom(): boolean {
    return !this.#isClosed && (this.#isFailing ? this.unsettled.size === 0 : this.posting < this.#width);
  }

  /** How many more may be read; none while there are enough, because those that are known are read again with them. */
  get prefetchCount(): number {
    if (this.#isClosed || this.waiting.length >= this.#width) return 0;
    const most = this.#isFailing ? 1 : this.#width * prefetchFactor;
    return Math.max(most - this.waiting.length - this.posting, 0);
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
    // The others wait as the store has it: the endpoint may want to be left alone.
    this.waiting.length = 0;
  }

  /** It has changed, or is gone: what waits is read again, by a lane of its own. */
  close(): void {
    this.#isClosed = true;
    this.waiting.length = 0;
  }
}
