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
  /** Whether the key still holds what it held when the stream began. */
  isGood: (caller: Caller) => Promise<boolean>;
  /** Calls back when keys have changed; the answer ends that. */
  onKeysChanged: (look: () => void) => () => void;
  limits: { all: number; perKey: number };
  clock: Clock;
  log: Log;
};

/** Events that come close together are read together: at most twenty reads a second, for all clients. */
const gatherMs = 50;
const readAtOnce = 500;
/** Proxies take a connection for dead after 30 to 60 seconds without a byte. */
const beatMs = 15_000;
/** Whoever has read nothing for so long will not begin now, and can come back with Last-Event-ID. */
const longestStuckMs = 60_000;

/**
 * Live streams of events. All clients share one read of what is new; what a slow one has missed it reads by itself.
 */
export class EventStreams {
  readonly #parts: StreamParts;
  readonly #clients = new Set<StreamClient>();
  readonly #reading: BackgroundWork;
  readonly #world: StreamWorld;
  #position = 0;
  #isGathering = false;
  #isStarted = false;
  #cancelBeat: () => void = () => {};
  #stopListening: (() => void)[] = [];

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
      onEnd: (client) => void this.#clients.delete(client),
    };
  }

  /** How many streams are open. */
  get size(): number {
    return this.#clients.size;
  }

  /** Begins to follow the log from its present end. */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { events, onKeysChanged } = this.#parts;
    this.#position = await events.last();
    this.#stopListening = [events.onNew(() => this.#gather()), onKeysChanged(() => void this.#look())];
    this.#beatLater();
  }

  /** Ends every stream. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancelBeat();
    for (const stop of this.#stopListening.splice(0)) stop();
    for (const client of this.#clients) client.end("The server stops. Connect again, with Last-Event-ID.");
    await this.#reading.stop();
  }

  /**
   * A stream of the events behind `after`, or of those to come (null). RATE_LIMIT_EXCEEDED when there are too many
   * streams.
   */
  async open(request: StreamRequest, after: number | null): Promise<StreamClient> {
    const last = await this.#parts.events.last();
    this.#requireRoom(request.caller);
    // An id of the future is from another life of the database: it began anew, or was restored.
    const client = new StreamClient(request, Math.min(after ?? last, last), this.#world);
    this.#clients.add(client);
    return client;
  }

  #requireRoom({ keyId }: Caller): void {
    const { all, perKey } = this.#parts.limits;
    const ofKey = [...this.#clients].filter((client) => client.request.caller.keyId === keyId).length;
    const refuse = (message: string): never => {
      throw new ApiError("RATE_LIMIT_EXCEEDED", { message, retryAfterSeconds: 30 });
    };
    if (ofKey >= perKey) refuse(`This key has ${ofKey} streams open, the most there may be. Close one first.`);
    if (this.#clients.size >= all) refuse(`The server has ${all} streams open, the most there may be. Try later.`);
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
    if (this.#clients.size === 0) {
      this.#position = await events.last();
      return;
    }
    for (let page: Event[] = [], isFirst = true; isFirst || page.length === readAtOnce; isFirst = false) {
      page = await events.since(this.#position, readAtOnce);
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
        else if (stuckSince <= this.#parts.clock.now() - longestStuckMs)
          client.end("You have read nothing for a minute. Connect again, with Last-Event-ID.");
      }
      void this.#look();
      if (this.#isStarted) this.#beatLater();
    });
  }

  /** Ends the streams of keys that do not hold any more; looks each key up once. */
  async #look(): Promise<void> {
    const { isGood, log } = this.#parts;
    try {
      for (const [caller, clients] of Map.groupBy(this.#clients, (client) => client.request.caller))
        if (!(await isGood(caller)))
          for (const client of clients)
            client.end("The API key of this stream has expired, or was changed or revoked.");
    } catch (error) {
      log.error({ err: error }, "could not look at the keys of streams");
    }
  }
}
