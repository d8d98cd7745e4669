import type { Event, EventFilter } from "./model.ts";

export type EventPageRequest = {
  /** Whose events: users, and null for those of the whole installation. */
  scopes: readonly (string | null)[];
  filter: EventFilter;
  /** Only events behind, or before, this id. */
  after: number | null;
  before: number | null;
  newestFirst: boolean;
  limit: number;
};

/** Events are written by the operations of all stores that cause them, and only read here. */
export type EventStore = {
  /** In order of their ids, at most `limit`. */
  page(request: EventPageRequest): Promise<Event[]>;
  /** On all pages together, counted up to 10,000. */
  count(request: Pick<EventPageRequest, "scopes" | "filter">): Promise<number>;
  /** Everybody's events behind `after`, oldest first, at most `limit`. None can come before them any more. */
  since(after: number, limit: number): Promise<Event[]>;
  /** The id of the latest event; 0 when there was none yet. */
  last(): Promise<number>;
  /** Calls `tell` after each commit that brought events; the answer ends that. */
  onNew(tell: () => void): () => void;
  /** Deletes events of before that moment, oldest first, at most `limit`; answers how many. */
  forgetBefore(at: number, limit: number): Promise<number>;
};
