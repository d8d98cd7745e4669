import type { Clock } from "../base/clock.ts";
import { isAdmin, type Caller } from "../auth/caller.ts";
import type { Event, EventFilter } from "./model.ts";
import type { EventPageRequest, EventStore } from "./store.ts";
import type { WorkspaceId } from "../base/ids.ts";

const dayMs = 86_400_000;
/** Takes a few milliseconds to delete. */
const deletionBatchSize = 1000;

/** Reads the event log and deletes expired events. Events are written by the operations that cause them. */
export class EventService {
  readonly #events: EventStore;
  readonly #clock: Clock;
  readonly #days: number;

  /** `days`: how long events are retained; 0 = forever. */
  constructor(events: EventStore, clock: Clock, days: number) {
    this.#events = events;
    this.#clock = clock;
    this.#days = days;
  }

  /** Returns a page and the position of the next; null on the last page. */
  async page(request: EventPageRequest): Promise<{ events: Event[]; next: number | null; total: number }> {
    const [events, total] = await Promise.all([
      this.#events.page({ ...request, limit: request.limit + 1 }),
      this.#events.count(request),
    ]);
    const isLast = events.length <= request.limit;
    const items = events.slice(0, request.limit);
    return { events: items, next: isLast ? null : (items.at(-1)?.id ?? null), total };
  }

  /** Deletes events past their retention, in batches, so that other writes do not have to wait. */
  async deleteExpired(): Promise<void> {
    if (this.#days === 0) return;
    const before = this.#clock.now() - this.#days * dayMs;
    while ((await this.#events.deleteBefore(before, deletionBatchSize)) > 0);
  }
}

/** The scopes of events that a caller can see when acting as a user. Admins also see those of the whole installation. */
export function scopesOf(caller: Caller, workspaceId: WorkspaceId, filter: EventFilter): readonly (string | null)[] {
  const isAboutSomething = Object.keys(filter).some((name) => name !== "types");
  return isAdmin(caller) && !isAboutSomething ? [workspaceId, null] : [workspaceId];
}
