import type { Engine } from "./engine.ts";
import { lastPosition, numberEvents, numberingBatchSize } from "./event-numbers.ts";

/** The event log as this node sees it. */
export class EventLog {
  readonly #engine: Engine;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #lastSeen = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Resolves once all events that are committed now have a position, so that what a caller has caused is what it reads.
   * Calls made while events are being numbered share the next run.
   */
  numberPending(): Promise<void> {
    if (this.#running === null) return this.#start();
    return (this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#start();
      }));
  }

  /**
   * Numbers events that are pending, and tells listeners if there are events that they may not have seen, such as those of
   * other nodes. `last` is the last position, as read a moment ago.
   */
  async follow(last: number, hasPending: boolean): Promise<void> {
    if (hasPending) {
      await this.numberPending();
      last = await lastPosition(this.#engine.orm);
    }
    if (last === this.#lastSeen) return;
    this.#lastSeen = last;
    this.#engine.newEvents.announce();
  }

  #start(): Promise<void> {
    this.#running = this.#number().finally(() => (this.#running = null));
    return this.#running;
  }

  async #number(): Promise<void> {
    while ((await numberEvents(this.#engine)) === numberingBatchSize);
  }
}
