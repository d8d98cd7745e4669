import type { ProspectDraft } from "./content.ts";
import type { ProspectSourceName, SearchFilters } from "./model.ts";

export type LiveSearch = { filters: SearchFilters; limit: number; offset: number; signal: AbortSignal };

/**
 * found: `total` as the service tells it. refused: the service will not do this, `message` says why and what to do.
 * busy: try again after so many seconds. failed: no answer that means anything.
 */
export type LiveOutcome =
  | { kind: "found"; total: number; prospects: ProspectDraft[] }
  | { kind: "refused"; message: string }
  | { kind: "busy"; retryAfterSeconds: number }
  | { kind: "failed"; message: string };

/** A service outside that finds prospects. Never rejects; an aborted signal ends it as failed. */
export type ProspectProvider = {
  name: Exclude<ProspectSourceName, "directory">;
  search(search: LiveSearch): Promise<LiveOutcome>;
};
