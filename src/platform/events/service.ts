import type { Clock } from "../base/clock.ts";
import { isAdmin, type Caller } from "../auth/caller.ts";
import type { Event, EventFilter } from "./model.ts";
import type { EventPageRequest, EventStore } from "./store.ts";

const dayMs = 86_400_000;
/** Some milliseconds of the writer's time. */
const forgetAtOnce = 1000;

/** What happened: a log that is read, and shortened at its old end. It is written by what happens. */
export class EventService {
  readonly #events: EventStore;
  readonly #clock: Clock;
  readonly #days: number;

  /** `days`: how long events are kept; 0 = for ever. */
  constructor(events: EventStore, clock: Clock, days: number) {
    this.#events = events;
    this.#clock = clock;
    this.#days = days;
  }

  /** One page, and where the next begins: null on the last. */
  async page(request: EventPageRequest): Promise<{ events: Event[]; next: number | null; total: number }> {
    const [events, total] = await Promise.all([
      this.#events.page({ ...request, limit: request.limit + 1 }),
      this.#events.count(request),
    ]);
    const isLast = events.length <= request.limit;
    const shown = events.slice(0, request.limit);
    return { events: shown, next: isLast ? null : (shown.at(-1)?.id ?? null), total };
  }

  /** Deletes what is older than it is kept, in slices, so that nobody waits for it. */
  async forgetOld(): Promise<void> {
    if (this.#days === 0) return;
    const before = this.#clock.now() - this.#days * dayMs;
    while ((await this.#events.forgetBefore(before, forgetAtOnce)) > 0);
  }
}

/** Whose events a caller who acts for a user is told: an admin those of the whole installation, too. */
export function scopesOf(caller: Caller, userId: string, filter: EventFilter): readonly (string | null)[] {
  const isAboutSomething = Object.keys(filter).some((name) => name !== "types");
  return isAdmin(caller) && !isAboutSomething ? [userId, null] : [userId];
}
