import type { AuditEntry, AuditFilter, ChainCheck, ChainPlace, Standing, StoredAuditEntry } from "./model.ts";

export type AuditPageRequest = {
  filter: AuditFilter;
  /** Only entries older than this one. */
  before: number | null;
  limit: number;
};

/** The audit log. Other stores add to it in their own operations. */
export type AuditStore = {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, at most `limit`. */
  page(request: AuditPageRequest): Promise<StoredAuditEntry[]>;
  /** Counted up to 10,000. */
  count(filter: AuditFilter): Promise<number>;
  /** Checks the next `limit` entries after a position; null: from the start. */
  check(after: ChainPlace | null, limit: number): Promise<ChainCheck>;
  /** Whether the entry at this position has this hash. */
  standingOf(place: ChainPlace): Promise<Standing>;
  /** Deletes the oldest entries that are older than `at`, at most `limit`. Returns how many. */
  forgetBefore(at: number, limit: number): Promise<number>;
};
