import type { Event, EventFilter } from "./model.ts";

export type EventPageRequest = {
  /** Users whose events to return; null for those of the whole installation. */
  scopes: readonly (string | null)[];
  filter: EventFilter;
  /** Only events after, or before, this ID. */
  after: number | null;
  before: number | null;
  newestFirst: boolean;
  limit: number;
};

/** Reads events. They are written by the operations of other stores that cause them. */
export type EventStore = {
  /** Ordered by ID, at most `limit`. */
  page(request: EventPageRequest): Promise<Event[]>;
  /** Total of all pages, counted up to 10,000. */
  count(request: Pick<EventPageRequest, "scopes" | "filter">): Promise<number>;
  /** Events of all users after `after`, oldest first, at most `limit`. No event can be inserted before them later. */
  since(after: number, limit: number): Promise<Event[]>;
  /** ID of the latest event; 0 if there is none. */
  last(): Promise<number>;
  /** Calls `listener` after each commit with new events. The returned function unsubscribes. */
  onNew(listener: () => void): () => void;
  /** Deletes events older than `at`, oldest first, at most `limit`. Returns how many were deleted. */
  deleteBefore(at: number, limit: number): Promise<number>;
};
