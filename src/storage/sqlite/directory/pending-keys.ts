import { isPersonKey } from "../../../prospecting/keys.ts";
import { sortedEntries, type Entries } from "./key-entries.ts";
import { KeyList, KeyTable } from "./key-lists.ts";

/**
 * Keys and their numbers that are in no run yet. Those of persons are asked for row by row while a file is imported, and
 * lie in a table; those of companies hardly ever, and lie in a list until somebody asks for one.
 */
export class PendingKeys {
  readonly #table = new KeyTable();
  readonly #listed = new KeyList();

  get size(): number {
    return this.#table.entries.size + this.#listed.size;
  }

  add(key: number, number: number): void {
    if (isPersonKey(key)) this.#table.add(key, number);
    else this.#listed.add(key, number);
  }

  /** Adds the numbers of a key to `found`, until that has `most`. */
  find(key: number, found: number[], most: number): void {
    if (this.#listed.size > 0 && !isPersonKey(key)) {
      this.#listed.each((listed, number) => this.#table.add(listed, number));
      this.#listed.clear();
    }
    this.#table.find(key, found, most);
  }

  /** All entries, by key. */
  sorted(): Entries {
    const all = { keys: new Float64Array(this.size), numbers: new Uint32Array(this.size) };
    this.#table.entries.copyInto(all, 0);
    this.#listed.copyInto(all, this.#table.entries.size);
    return sortedEntries(all);
  }

  /** Keeps its memory for the next ones. */
  clear(): void {
    this.#table.clear();
    this.#listed.clear();
  }

  copyTo(other: PendingKeys): void {
    for (const list of [this.#table.entries, this.#listed]) list.each((key, number) => other.add(key, number));
  }
}
