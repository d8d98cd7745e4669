import type { Caller } from "../auth/caller.ts";
import type { Event, EventFilter } from "./model.ts";
import { eventView, matches } from "./view.ts";

/** Maximum buffer of a client in this process. Further events are read from the database once the buffer is read. */
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
  /** The client's events after `after`, oldest first, at most `limit`. */
  page: (request: StreamRequest, after: number, limit: number) => Promise<Event[]>;
  /** The last event that was offered to the clients. */
  position: () => number;
  onEnd: (client: StreamClient) => void;
};

/** An event in wire format (HTML, section 9.2.6). */
export function eventChunk(event: Event): Uint8Array {
  return text.encode(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event))}\n\n`);
}

/**
 * One client of the stream. While it keeps up, it is offered each new event. Once its buffer is full, it is behind: it is
 * offered nothing more, costs nothing, and continues from the database at its own pace when it has read the buffer.
 */
export class StreamClient {
  readonly request: StreamRequest;
  readonly body: ReadableStream<Uint8Array>;
  readonly #world: StreamWorld;
  readonly #scopes: ReadonlySet<string | null>;
  readonly #endListeners: (() => void)[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** All matching events up to this one have been sent. */
  #position: number;
  #keepsUp: boolean;
  /** When it last read something while it was behind. */
  #lastReadAt: number;

  /** `after`: the event after which the stream starts. */
  constructor(request: StreamRequest, after: number, world: StreamWorld) {
    this.request = request;
    this.#world = world;
    this.#scopes = new Set(request.scopes);
    this.#position = after;
    this.#keepsUp = this.#position >= world.position();
    this.#lastReadAt = world.now();
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          // Opens the stream on the client's side and sets its reconnection delay.
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

  /** Since when it has read nothing although events are pending; null if it keeps up. */
  get stuckSince(): number | null {
    return this.#keepsUp || this.#hasRoom() ? null : this.#lastReadAt;
  }

  offer(event: Event, chunk: () => Uint8Array): void {
    if (!this.#keepsUp || event.id <= this.#position) return;
    if (this.#scopes.has(event.workspaceId) && matches(event, this.request.filter)) {
      if (!this.#hasRoom()) {
        this.#keepsUp = false;
        this.#lastReadAt = this.#world.now();
        return;
      }
      this.#controller?.enqueue(chunk());
    }
    this.#position = event.id;
  }

  /** Keeps the connection alive in proxies. */
  beat(): void {
    if (this.#hasRoom()) this.#controller?.enqueue(text.encode(":\n\n"));
  }

  /** Calls `listener` once the stream has ended on either side. */
  onEnd(listener: () => void): void {
    if (this.hasEnded) listener();
    else this.#endListeners.push(listener);
  }

  /** Sends the reason to the client and ends the stream. */
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
    for (const listener of this.#endListeners) listener();
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** The buffer has room: sends the next pages if the client is behind. */
  async #pull(): Promise<void> {
    this.#lastReadAt = this.#world.now();
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
      // If no events were offered meanwhile, the client has caught up.
      this.#keepsUp = this.#position >= this.#world.position();
    }
  }
}
