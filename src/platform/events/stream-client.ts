import type { Caller } from "../auth/caller.ts";
import type { Event, EventFilter } from "./model.ts";
import { eventView, matches } from "./view.ts";

/** What a client may have waiting in this process; what does not fit is read from the database once it has read this. */
const bufferBytes = 64 * 1024;
const pageEvents = 100;
const text = new TextEncoder();

export type StreamRequest = {
  caller: Caller;
  scopes: readonly (string | null)[];
  filter: EventFilter;
};

export type StreamWorld = {
  now: () => number;
  /** The client's events behind `after`, oldest first, at most `limit`. */
  page: (request: StreamRequest, after: number, limit: number) => Promise<Event[]>;
  /** Up to where every client has been offered events. */
  position: () => number;
  onEnd: (client: StreamClient) => void;
};

/** An event as it goes over the line (HTML, section 9.2.6). */
export function eventChunk(event: Event): Uint8Array {
  return text.encode(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event))}\n\n`);
}

/**
 * One client of the stream. While it keeps up it is offered each event as it comes. As soon as its buffer is full it is
 * behind: it is offered nothing more, costs nothing, and reads on from the database, at its own pace, when it has read
 * what it was sent.
 */
export class StreamClient {
  readonly request: StreamRequest;
  readonly body: ReadableStream<Uint8Array>;
  readonly #world: StreamWorld;
  readonly #scopes: ReadonlySet<string | null>;
  readonly #whenEnded: (() => void)[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** It has been sent all that concerns it up to here. */
  #position: number;
  #keepsUp: boolean;
  /** When it last took something while it was behind. */
  #tookAt: number;

  /** `after`: the event behind which it begins. */
  constructor(request: StreamRequest, after: number, world: StreamWorld) {
    this.request = request;
    this.#world = world;
    this.#scopes = new Set(request.scopes);
    this.#position = after;
    this.#keepsUp = this.#position >= world.position();
    this.#tookAt = world.now();
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          // Opens the stream at the client's side, and says how soon it may come back.
          controller.enqueue(text.encode("retry: 3000\n\n"));
        },
        pull: () => this.#pull(),
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
    );
  }

  get hasEnded(): boolean {
    return this.#controller === null;
  }

  /** Since when it has taken nothing although there is something; null when it keeps up. */
  get stuckSince(): number | null {
    return this.#keepsUp || this.#hasRoom() ? null : this.#tookAt;
  }

  offer(event: Event, chunk: () => Uint8Array): void {
    if (!this.#keepsUp || event.id <= this.#position) return;
    if (this.#scopes.has(event.userId) && matches(event, this.request.filter)) {
      if (!this.#hasRoom()) {
        this.#keepsUp = false;
        this.#tookAt = this.#world.now();
        return;
      }
      this.#controller?.enqueue(chunk());
    }
    this.#position = event.id;
  }

  /** A sign of life, for whatever stands between us. */
  beat(): void {
    if (this.#hasRoom()) this.#controller?.enqueue(text.encode(":\n\n"));
  }

  /** Calls `then` once the stream has ended, whoever ended it. */
  onEnd(then: () => void): void {
    if (this.hasEnded) then();
    else this.#whenEnded.push(then);
  }

  /** Tells the client why, as far as it reads, and ends the stream. */
  end(reason: string): void {
    const controller = this.#controller;
    if (controller === null) return;
    this.#end();
    controller.enqueue(text.encode(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`));
    controller.close();
  }

  #end(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    this.#world.onEnd(this);
    for (const then of this.#whenEnded) then();
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** There is room: whoever is behind gets the next pages. */
  async #pull(): Promise<void> {
    this.#tookAt = this.#world.now();
    while (!this.#keepsUp && this.#hasRoom()) {
      const upTo = this.#world.position();
      const page = await this.#world.page(this.request, this.#position, pageEvents);
      for (const event of page) {
        if (!this.#hasRoom()) return;
        this.#controller?.enqueue(eventChunk(event));
        this.#position = event.id;
      }
      if (page.length === pageEvents) continue;
      this.#position = Math.max(this.#position, upTo);
      // Nobody was offered anything meanwhile: from here on it takes part.
      this.#keepsUp = this.#position >= this.#world.position();
    }
  }
}
