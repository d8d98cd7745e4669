import type { Database } from "bun:sqlite";
import type { SuppressionKind } from "../../../features/suppression/model.ts";
import { Bits } from "./bits.ts";
import { prepared, type Prepared } from "./prepared.ts";

/** Keys read at once while the bits are filled: a fraction of a millisecond. */
const fillSlice = 500;
/** With three bits of 64 a key, one look-up in 10,000 goes to the table for nothing. */
const bitsPerKey = 64;
const parts = 3;
const leastBits = 2 ** 18;
/** 16 MB. Beyond two million entries more look-ups go to the table. */
const mostBits = 2 ** 27;

/**
 * What spares a look at the table: who has entries of a kind at all, and a Bloom filter of the keys (which are hashes,
 * so that their own bytes place their bits). It errs on one side only: an entry that is there is never missed, not even
 * when a write unit is rolled back. Therefore removals take nothing away here; what they leave costs look-ups, no answers.
 */
export class SuppressionHints {
  readonly #readKinds: Prepared<{ owner: number; kind: SuppressionKind; entries: number }>;
  readonly #readKeys: Prepared<{ key: Uint8Array }, [Uint8Array]>;
  /** By owner; 0 is the team. Null: not read yet. */
  #kinds: Map<number, Set<SuppressionKind>> | null = null;
  #bits = new Bits(0);
  /** How many keys the bits are meant for. */
  #capacity = 0;
  #keys = 0;
  /** The last key that was read while the bits are filled; null when they are whole. */
  #filledTo: Uint8Array | null = new Uint8Array();

  constructor(database: Database) {
    this.#readKinds = prepared(database, "SELECT ifnull(owner, 0) AS owner, kind, entries FROM suppression_counts");
    this.#readKeys = prepared(database, `SELECT key FROM suppressions WHERE key > ? ORDER BY key LIMIT ${fillSlice}`);
  }

  /** False when there are no entries at all. */
  get hasAny(): boolean {
    return this.#knownKinds().size > 0;
  }

  /** The kinds of which this owner, or the team, may have entries; null when there are none. */
  kindsFor(owner: number): ReadonlySet<SuppressionKind> | null {
    const kinds = this.#knownKinds();
    const own = kinds.get(owner);
    const teams = kinds.get(0);
    if (own === undefined || teams === undefined) return own ?? teams ?? null;
    return own.union(teams);
  }

  /** False when nobody has an entry with this key. */
  mayHave(key: Uint8Array): boolean {
    if (this.#filledTo !== null) this.#fillSlice();
    return this.#filledTo !== null || this.#isSet(key);
  }

  /** Inside a write unit, before an entry is stored or removed: from now on it is looked for. */
  expect(owner: number, kind: SuppressionKind, key: Uint8Array): void {
    const kinds = this.#knownKinds();
    kinds.set(owner, (kinds.get(owner) ?? new Set()).add(kind));
    if (this.#keys >= this.#capacity) this.#refill();
    this.#set(key);
  }

  /** Looks anew who has entries. Only between transactions: what a unit has removed may still come back. */
  reread(): void {
    this.#kinds = null;
    this.#knownKinds();
  }

  #knownKinds(): Map<number, Set<SuppressionKind>> {
    if (this.#kinds !== null) return this.#kinds;
    this.#kinds = new Map();
    let entries = 0;
    for (const row of this.#readKinds.all()) {
      entries += row.entries;
      if (row.entries > 0) this.#kinds.set(row.owner, (this.#kinds.get(row.owner) ?? new Set()).add(row.kind));
    }
    if (entries > this.#capacity) this.#refill(entries);
    return this.#kinds;
  }

  #refill(entries = this.#keys): void {
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
