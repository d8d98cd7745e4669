import { sortedEntries, type Entries } from "./key-entries.ts";
import { isHot } from "./key-hash.ts";
import { KeyChains, KeyList } from "./key-lists.ts";

/**
 * Keys and their numbers that are not in a run yet. Hot keys are in a hash table. The others are in a list until one of
 * them is looked up.
 */
export class PendingKeys {
  readonly #table = new KeyChains();
  readonly #listed = new KeyList();

  get size(): number {
    return this.#table.entries.size + this.#listed.size;
  }

  add(key: number, number: number): void {
    if (isHot(key)) this.#table.add(key, number);
    else this.#listed.add(key, number);
  }

  /** Adds the numbers of a key to `found`, up to `most`. */
  find(key: number, found: number[], most: number): void {
    this.#prepareFor(key);
    this.#table.find(key, found, most);
  }

  /** Calls `take` for each number of a key. */
  each(key: number, take: (number: number) => void): void {
    this.#prepareFor(key);
    this.#table.each(key, take);
  }

  #prepareFor(key: number): void {
    if (this.#listed.size === 0 || isHot(key)) return;
    this.#listed.each((listed, number) => this.#table.add(listed, number));
    this.#listed.clear();
  }

  /** Removes and returns all entries, sorted by key. Keeps the memory for the next ones. */
  take(): Entries {
    const taken = sortedEntries([this.#table.entries.entries, this.#listed.entries]);
    this.#table.clear();
    this.#listed.clear();
    return taken;
  }
}
