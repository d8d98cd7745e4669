import type { Clock } from "../base/clock.ts";
import { ApiError } from "../base/errors.ts";
import { BackgroundWork } from "../../lib/concurrency/background-work.ts";
import type { Caller } from "../auth/caller.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { Event } from "./model.ts";
import { eventChunk, StreamClient, type StreamRequest, type StreamWorld } from "./stream-client.ts";
import type { EventStore } from "./store.ts";

export type StreamParts = {
  events: EventStore;
  /** Whether the key still has the rights it had when the stream started. */
  isValid: (caller: Caller) => Promise<boolean>;
  /** Calls `listener` when keys have changed. The returned function unsubscribes. */
  onKeysChanged: (listener: () => void) => () => void;
  limits: { all: number; perKey: number };
  clock: Clock;
  log: Log;
};

/** Events in quick succession are read together: at most twenty reads a second for all clients. */
const gatherMs = 50;
const pageSize = 500;
/** Proxies close connections after 30 to 60 seconds without data. */
const beatMs = 15_000;
/** A client that has read nothing for this long is disconnected; it can resume with Last-Event-ID. */
const maxStuckMs = 60_000;

/** Live streams of events. All clients share the read of new events; slow clients read what they have missed separately. */
export class EventStreams {
  readonly #parts: StreamParts;
  readonly #clients = new Set<StreamClient>();
  readonly #reading: BackgroundWork;
  readonly #world: StreamWorld;
  #position = 0;
  #stopFollowing = (): void => {};
  #isGathering = false;
  #isStarted = false;
  #cancelBeat: () => void = () => {};
  #stopListening = (): void => {};

  constructor(parts: StreamParts) {
    this.#parts = parts;
    const { clock, events, log } = parts;
    this.#reading = new BackgroundWork(
      () => this.#read(),
      (error) => log.error({ err: error }, "could not read events for the streams"),
    );
    this.#world = {
      now: () => clock.now(),
      page: ({ scopes, filter }, after, limit) =>
        events.page({ scopes, filter, after, before: null, newestFirst: false, limit }),
      position: () => this.#position,
      onEnd: (client) => {
        this.#clients.delete(client);
        if (this.#clients.size === 0) this.#stopFollowing();
      },
    };
  }

  /** Number of open streams. */
  get size(): number {
    return this.#clients.size;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stopListening = this.#parts.onKeysChanged(() => void this.#checkKeys());
    this.#beatLater();
  }

  /** Ends every stream. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancelBeat();
    this.#stopListening();
    for (const client of this.#clients) client.end("The server is shutting down. Reconnect with Last-Event-ID.");
    await this.#reading.stop();
  }

  /**
   * Opens a stream of the events after `after`, or of new events (null). Throws RATE_LIMIT_EXCEEDED if too many streams
   * are open.
   */
  async open(request: StreamRequest, after: number | null): Promise<StreamClient> {
    const last = await this.#parts.events.last();
    this.#requireRoom(request.caller);
    // An ID that does not exist yet is from before the database was reset or restored.
    if (this.#clients.size === 0) this.#follow(last);
    const client = new StreamClient(request, Math.min(after ?? last, last), this.#world);
    this.#clients.add(client);
    return client;
  }

  /** Follows the log, for the first client. */
  #follow(last: number): void {
    this.#position = last;
    this.#stopFollowing();
    this.#stopFollowing = this.#parts.events.onNew(() => this.#gather());
    // An event may have been committed after `last` was read.
    this.#gather();
  }

  #requireRoom({ keyId }: Caller): void {
    const { all, perKey } = this.#parts.limits;
    const ofKey = [...this.#clients].filter((client) => client.request.caller.keyId === keyId).length;
    const refuse = (message: string): never => {
      throw new ApiError("RATE_LIMIT_EXCEEDED", { message, retryAfterSeconds: 30 });
    };
    if (ofKey >= perKey) refuse(`This key has reached the limit of ${perKey} open streams. Close one first.`);
    if (this.#clients.size >= all) refuse(`The server has reached the limit of ${all} open streams. Try again later.`);
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#parts.clock.after(gatherMs, () => {
      this.#isGathering = false;
      this.#reading.wake();
    });
  }

  async #read(): Promise<void> {
    const { events } = this.#parts;
    for (
      let page: Event[] = [], isFirst = true;
      this.#clients.size > 0 && (isFirst || page.length === pageSize);
      isFirst = false
    ) {
      page = await events.since(this.#position, pageSize);
      for (const event of page) this.#offer(event);
      await pause();
    }
  }

  #offer(event: Event): void {
    let chunk: Uint8Array | null = null;
    for (const client of this.#clients) client.offer(event, () => (chunk ??= eventChunk(event)));
    this.#position = event.id;
  }

  #beatLater(): void {
    this.#cancelBeat = this.#parts.clock.after(beatMs, () => {
      for (const client of this.#clients) {
        const { stuckSince } = client;
        if (stuckSince === null) client.beat();
        else if (stuckSince <= this.#parts.clock.now() - maxStuckMs)
          client.end("The client has not read anything for a minute. Reconnect with Last-Event-ID.");
      }
      void this.#checkKeys();
      if (this.#isStarted) this.#beatLater();
    });
  }

  /** Ends the streams of keys that are no longer valid. Checks each key once. */
  async #checkKeys(): Promise<void> {
    const { isValid, log } = this.#parts;
    try {
      for (const [caller, clients] of Map.groupBy(this.#clients, (client) => client.request.caller))
        if (!(await isValid(caller)))
          for (const client of clients)
            client.end("The API key of this stream has expired, or was changed or revoked.");
    } catch (error) {
      log.error({ err: error }, "could not check the keys of streams");
    }
  }
}
