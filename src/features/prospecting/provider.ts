import type { ProspectDraft } from "./content.ts";
import type { ProspectSourceName, SearchFilters } from "./model.ts";

export type LiveSearch = { filters: SearchFilters; limit: number; offset: number; signal: AbortSignal };

/**
 * `found`: `total` is the number reported by the service. `refused`: the service rejected the request; `message` says
 * why and what to do. `busy`: retry after `retryAfterSeconds`. `failed`: no usable response.
 */
export type LiveOutcome =
  | { kind: "found"; total: number; prospects: ProspectDraft[] }
  | { kind: "refused"; message: string }
  | { kind: "busy"; retryAfterSeconds: number }
  | { kind: "failed"; message: string };

/** An external source of prospects. Never rejects; an aborted signal results in `failed`. */
export type ProspectProvider = {
  name: Exclude<ProspectSourceName, "directory">;
  search(search: LiveSearch): Promise<LiveOutcome>;
};
