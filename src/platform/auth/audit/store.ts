import type { AuditEntry, AuditFilter, ChainPlace, standings, StoredAuditEntry } from "./model.ts";

export type AuditPageRequest = {
  filter: AuditFilter;
  /** Only entries behind this one, which are older. */
  before: number | null;
  limit: number;
};

export type ChainCheck = {
  checked: number;
  /** The last entry that fits; null: there is none. */
  last: ChainPlace | null;
  /** The first one that does not, or that is missing at the end. */
  brokenAt: number | null;
  /** More is behind. */
  more: boolean;
};

/** State of an entry; `expired`: the log does not reach back so far any more. */
export type Standing = (typeof standings)[number];

/** The audit log. Other stores add to it in their own operations. */
export type AuditStore = {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, at most `limit`. */
  page(request: AuditPageRequest): Promise<StoredAuditEntry[]>;
  /** Counted up to 10,000. */
  count(filter: AuditFilter): Promise<number>;
  /** Checks the next `limit` entries behind a place; null: from the beginning. */
  check(after: ChainPlace | null, limit: number): Promise<ChainCheck>;
  /** Whether the entry at that place has that hash. */
  standingOf(place: ChainPlace): Promise<Standing>;
  /** Forgets the oldest entries, at most `limit`, if they are from before; answers how many. */
  forgetBefore(at: number, limit: number): Promise<number>;
};
