import type { Database } from "bun:sqlite";
import { Bits } from "./bits.ts";
import { prepared, type Prepared } from "./prepared.ts";

/** Keys per slice while the filter is filled: a fraction of a millisecond. */
const fillSlice = 500;
/** With 64 bits per key, of which three are set, one lookup in 10,000 reads the table needlessly. */
const bitsPerKey = 64;
const parts = 3;
const leastBits = 2 ** 18;
/** 16 MB. Beyond two million entries, more lookups read the table. */
const mostBits = 2 ** 27;

/**
 * A Bloom filter of the keys of all entries, which avoids most lookups. The keys are hashes, so their own bytes select
 * their bits. The filter never misses an entry, not even when a write unit is rolled back; so removals do not change it,
 * and a key that was removed only costs a lookup.
 */
export class SuppressionHints {
  readonly #count: Prepared<{ entries: number }>;
  readonly #readKeys: Prepared<{ key: Uint8Array }, [Uint8Array]>;
  #bits = new Bits(0);
  /** Number of keys that the filter is sized for. */
  #capacity = 0;
  #keys = 0;
  /** The last key that was read while the filter is filled; null if it is complete. */
  #filledTo: Uint8Array | null = new Uint8Array();

  constructor(database: Database) {
    this.#count = prepared(database, "SELECT ifnull(sum(entries), 0) AS entries FROM suppression_counts");
    this.#readKeys = prepared(database, `SELECT key FROM suppressions WHERE key > ? ORDER BY key LIMIT ${fillSlice}`);
  }

  /** False if no entry has this key. */
  mayHave(key: Uint8Array): boolean {
    if (this.#filledTo !== null) this.#fillSlice();
    return this.#filledTo !== null || this.#isSet(key);
  }

  /** Called inside a write unit, before an entry with this key is stored or removed. */
  expect(key: Uint8Array): void {
    if (this.#keys >= this.#capacity) this.#refill();
    this.#set(key);
  }

  #refill(): void {
    const entries = Math.max(this.#keys, this.#count.get()?.entries ?? 0);
    const wanted = Math.min(Math.max(entries * 2 * bitsPerKey, leastBits), mostBits);
    const bits = 2 ** Math.ceil(Math.log2(wanted));
    this.#bits = new Bits(bits);
    this.#capacity = bits === mostBits ? Infinity : bits / bitsPerKey;
    this.#keys = 0;
    this.#filledTo = new Uint8Array();
  }

  #fillSlice(): void {
    if (this.#capacity === 0) this.#refill();
    const rows = this.#readKeys.values(this.#filledTo!) as [Uint8Array][];
    for (const [key] of rows) this.#set(key);
    this.#filledTo = rows.length < fillSlice ? null : rows.at(-1)![0];
  }

  #set(key: Uint8Array): void {
    for (let part = 0; part < parts; part++) this.#bits.set(this.#placeOf(key, part));
    this.#keys++;
  }

  #isSet(key: Uint8Array): boolean {
    for (let part = 0; part < parts; part++) if (!this.#bits.has(this.#placeOf(key, part))) return false;
    return true;
  }

  /** From four bytes of the key. */
  #placeOf(key: Uint8Array, part: number): number {
    const at = part * 4;
    const number = ((key[at]! << 24) | (key[at + 1]! << 16) | (key[at + 2]! << 8) | key[at + 3]!) >>> 0;
    return number % this.#bits.count;
  }
}
