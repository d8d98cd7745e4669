import type { AuditEntry, ChainCheck, ChainPlace, Standing } from "./model.ts";

// The audit log is a chain: the hash of an entry covers the entry and the hash of the one before it. A change, a removal,
// or an insertion breaks the chain from that entry on.

/** A stored entry with its number and hash. */
export type ChainLink = { seq: number; entry: AuditEntry; hash: Uint8Array };

/** The place before the first entry. */
export const beginningOfChain: ChainPlace = { seq: 0, hash: new Uint8Array(32) };

/** The entry as the next one of a chain that ends at `end`. */
export function nextLink(end: ChainPlace, entry: AuditEntry): ChainLink {
  const seq = end.seq + 1;
  return { seq, entry, hash: hashOf(end.hash, seq, entry) };
}

/**
 * Checks the entries after a place, in order. `limit` is the number that was asked for: with fewer, the last one must be the
 * stored `end` of the chain.
 */
export function checkChain(
  after: ChainPlace,
  links: readonly ChainLink[],
  { limit, end }: { limit: number; end: ChainPlace | null },
): ChainCheck {
  let last = after;
  for (const [checked, { seq, entry, hash }] of links.entries()) {
    const expected = hashOf(last.hash, seq, entry);
    if (seq !== last.seq + 1 || !isSameHash(expected, hash))
      return { checked, last: placeOrNull(last), brokenAt: seq, more: false };
    last = { seq, hash: expected };
  }
  const more = links.length === limit;
  const isWhole = more || (end !== null && last.seq === end.seq && isSameHash(last.hash, end.hash));
  return { checked: links.length, last: placeOrNull(last), brokenAt: isWhole ? null : last.seq + 1, more };
}

/** The state of an entry that had this hash. `start`: the last deleted entry; `found`: the hash that is stored now. */
export function standingInChain(
  { seq, hash }: ChainPlace,
  start: ChainPlace | null,
  found: Uint8Array | null,
): Standing {
  const begin = start ?? beginningOfChain;
  if (seq < begin.seq) return "expired";
  const stored = seq === begin.seq ? begin.hash : found;
  if (stored === null) return "missing";
  return isSameHash(stored, hash) ? "same" : "changed";
}

/**
 * Of the oldest entries, in order: those that are older than `before`. The clock may have been set back in between, so
 * an entry after a newer one waits for it.
 */
export function oldestBefore<T extends { at: number }>(oldest: readonly T[], before: number): readonly T[] {
  const firstKept = oldest.findIndex(({ at }) => at >= before);
  return firstKept === -1 ? oldest : oldest.slice(0, firstKept);
}

function placeOrNull(place: ChainPlace): ChainPlace | null {
  return place.seq === 0 ? null : place;
}

function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

/** Stored, so neither the order of the values nor their form may change. */
function hashOf(before: Uint8Array, seq: number, entry: AuditEntry): Uint8Array {
  const { at, action, workspaceId, via, actorId, keyId, keyName, address, userAgent, requestId, targetType, targetId } =
    entry;
  const who = [workspaceId, via, actorId, keyId, keyName, address, userAgent, requestId];
  const values = [seq, at, action, ...who, targetType, targetId, JSON.stringify(entry.details)];
  return new Bun.CryptoHasher("sha256").update(before).update(JSON.stringify(values)).digest();
}
