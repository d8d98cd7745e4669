import type { AuditEntry, AuditFilter, StoredAuditEntry } from "./model.ts";

export type AuditPageRequest = {
  filter: AuditFilter;
  /** Only entries behind this one, which are older. */
  before: number | null;
  limit: number;
};

/** A place in the chain of hashes. */
export type ChainPlace = { seq: number; hash: Uint8Array };
export type ChainCheck = {
  checked: number;
  /** The last entry that fits; null: there is none. */
  last: ChainPlace | null;
  /** The first one that does not. */
  brokenAt: number | null;
  /** More is behind. */
  more: boolean;
};

/** The audit log. Other stores add to it in their own operations. */
export type AuditStore = {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, at most `limit`. */
  page(request: AuditPageRequest): Promise<StoredAuditEntry[]>;
  /** Checks the next `limit` entries behind a place; null: from the beginning. */
  check(after: ChainPlace | null, limit: number): Promise<ChainCheck>;
  /** Forgets the oldest entries, at most `limit`, if they are from before; answers how many. */
  forgetBefore(at: number, limit: number): Promise<number>;
};
