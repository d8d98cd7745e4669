import { pause } from "../concurrency/pause.ts";
import { KeyFilter } from "./key-filter.ts";
import { KeyTable } from "./key-table.ts";

/** Entries in the log before they are merged. They take 2 MB of memory, and those being merged as much again. */
export const mergeAt = 90_000;
/** Sorted entries per write unit: about 10 ms of the event loop in a large table. */
const mergeSlice = 2_000;
const forgetSlice = 5_000;
/** Nearly every key has fewer rows. */
const firstPage = 8;
/** An import that gets this far is large, and worth the filter, which requires a walk over the whole table. */
const batchesBeforeFilter = 20;
const filterSlice = 5_000;
/** A filter cannot forget keys: with too many removed ones, it would let most lookups through. */
const rebuildFilterAfter = 1_000_000;

/** Where an index is stored: a sorted table of pairs (key, row), and a log of pairs that are not in it yet. */
export type KeyStorage = {
  /** Rows of a key in the table, in no order. */
  rows(key: number): number[];
  /** Rows of a key in the table above `after`, ascending. */
  rowsAfter(key: number, after: number, limit: number): number[];
  /** Keys of the table above `after`, ascending. */
  keysAfter(after: number, limit: number): number[];
  /** Inserts pairs that are not in the table yet: key, row, key, row, … */
  insert(pairs: number[]): void;
  remove(key: number, row: number): void;
  append(n: number, entries: Uint8Array): void;
  log(): Iterable<[n: number, entries: Uint8Array]>;
  /** Deletes entries of the log up to `n`, oldest first; returns how many. */
  forget(n: number, limit: number): number;
};

export type KeyIndexParts = {
  storage: KeyStorage;
  /** Runs a write unit. */
  write: <T>(unit: () => T) => Promise<T>;
  /** Called inside a unit that adds entries: `write` must follow before the COMMIT, or `takeBack` after a rollback. */
  onAdded?: () => void;
  /** Rows below this number have been deleted: the log may still contain them. */
  firstRow?: () => number;
};

/**
 * Finds rows by 53-bit hashes of what identifies them. A sorted table alone would dirty a random page for each key of
 * each new row, which makes an import of a million rows five times slower. So new entries go to a log, which is also
 * held in memory, and are merged in sorted order when many of them share a page.
 *
 * Results are hints: an entry may outlive its row, or what the row contained. Read the row and compare.
 */
export class KeyIndex {
  readonly #storage: KeyStorage;
  readonly #writeUnit: KeyIndexParts["write"];
  readonly #onAdded: () => void;
  readonly #firstRow: () => number;
  /** Entries of the log: those added since the last merge began, and those being merged. */
  #recent = new KeyTable();
  #merging = new KeyTable();
  #isLogRead = false;
  /** Keys of the table and the log, once it is complete. */
  #filter: KeyFilter | null = null;
  #isFilterComplete = false;
  #removedSinceFilled = 0;
  #batches = 0;
  /** Pairs added by the units of a batch. */
  #unwritten: number[] = [];
  /** Of the log. Never used twice by this process: a merge deletes everything up to a number. */
  #lastNumber = 0;
  #merge: Promise<void> | null = null;

  constructor({ storage, write, onAdded = () => {}, firstRow = () => 0 }: KeyIndexParts) {
    this.#storage = storage;
    this.#writeUnit = write;
    this.#onAdded = onAdded;
    this.#firstRow = firstRow;
  }

  /** Numbers of the rows that may have this key. */
  find(key: number): number[] {
    if (this.isSurelyNew(key)) return [];
    return this.#recentEntries().find(key, this.#merging.find(key, this.#storage.rows(key)));
  }

  /**
   * Like `find`, oldest first and read on demand: callers that stop at the first few do not pay for a key with thousands of
   * rows. The index must not change meanwhile.
   */
  *each(key: number): Generator<number, void, void> {
    if (this.isSurelyNew(key)) return;
    const unmerged = this.unmerged(key).sort((a, b) => a - b);
    let next = 0;
    for (const row of this.#eachMerged(key)) {
      while (unmerged[next]! < row) yield unmerged[next++]!;
      yield row;
    }
    yield* unmerged.slice(next);
  }

  *#eachMerged(key: number): Generator<number, void, void> {
    let last = -1;
    for (let limit = firstPage; ; limit *= 2) {
      const rows = this.#storage.rowsAfter(key, last, limit);
      yield* rows;
      if (rows.length < limit) return;
      last = rows.at(-1)!;
    }
  }

  /** The part of `find` that is not in the table yet: for a thread that reads the table itself. */
  unmerged(key: number): number[] {
    return this.#recentEntries().find(key, this.#merging.find(key, []));
  }

  /** Whether `find` would find any. */
  has(key: number): boolean {
    if (this.isSurelyNew(key)) return false;
    return this.#recentEntries().has(key) || this.#merging.has(key) || this.#storage.rows(key).length > 0;
  }

  /** Whether memory alone shows that no row has this key. False does not mean that one does. */
  isSurelyNew(key: number): boolean {
    return this.#isFilterComplete && this.#filter?.has(key) === false;
  }

  /** Makes lookups of new keys fast. Worthwhile if nearly all keys are new. */
  async expectNew(): Promise<void> {
    if (this.#filter === null) await this.#fillFilter();
  }

  /** The entry is found from now on; `write` must follow before the COMMIT. */
  add(key: number, row: number): void {
    this.#recentEntries().add(key, row);
    this.#filter?.add(key);
    if (this.#unwritten.length === 0) this.#onAdded();
    this.#unwritten.push(key, row);
  }

  /** Discards what was added but not written. In memory it remains as a hint that leads nowhere. */
  takeBack(): void {
    this.#unwritten = [];
  }

  /** Called inside a transaction: appends what was added to the log. */
  write(): void {
    if (this.#unwritten.length === 0) return;
    const entries = new Float64Array(this.#unwritten);
    this.#unwritten = [];
    this.#storage.append(++this.#lastNumber, new Uint8Array(entries.buffer));
    if (this.#recent.size >= mergeAt && this.#merge === null) this.#startMerge();
  }

  /** Called inside a write unit, for rows that are deleted permanently. */
  remove(key: number, row: number): void {
    this.#storage.remove(key, row);
    // It stays in the log until the merge, which uses what is in memory.
    this.#recentEntries().remove(key, row);
    this.#merging.remove(key, row);
    if (this.#filter !== null && ++this.#removedSinceFilled === rebuildFilterAfter) void this.#fillFilter();
  }

  /** Resolves when there is room for more. Callers that add many entries wait for it before each batch. */
  async room(): Promise<void> {
    if (++this.#batches === batchesBeforeFilter) await this.expectNew();
    if (this.#recent.size >= mergeAt) await this.#merge;
  }

  async #fillFilter(): Promise<void> {
    const filter = new KeyFilter();
    this.#filter = filter;
    this.#isFilterComplete = false;
    this.#removedSinceFilled = 0;
    try {
      // Not during the start of a process, which does not read the log.
      await pause();
      // Entries added from now on are added here as well, so that none is missed behind the place that is being read.
      for (const table of [this.#recentEntries(), this.#merging]) table.eachKey((key) => filter.add(key));
      await this.#addAllOfTable(filter);
      // Unless another one was started meanwhile.
      this.#isFilterComplete = this.#filter === filter;
    } catch {
      // Without a filter, every key is looked up, and those lookups report why the table cannot be read.
    }
  }

  async #addAllOfTable(filter: KeyFilter): Promise<void> {
    for (let last: number | undefined = -1; last !== undefined;) {
      const keys = this.#storage.keysAfter(last, filterSlice);
      for (const key of keys) filter.add(key);
      last = keys.at(-1);
      await pause();
    }
  }

  /** Resolves when no merge is running. */
  async settled(): Promise<void> {
    await this.#merge;
  }

  /** Includes what was in the log when this process started. */
  #recentEntries(): KeyTable {
    if (this.#isLogRead) return this.#recent;
    this.#isLogRead = true;
    const from = this.#firstRow();
    for (const [n, blob] of this.#storage.log()) {
      const entries = new Float64Array(blob.slice().buffer);
      for (let at = 0; at < entries.length; at += 2)
        if (entries[at + 1]! >= from) this.#recent.add(entries[at]!, entries[at + 1]!);
      this.#lastNumber = Math.max(this.#lastNumber, n);
    }
    return this.#recent;
  }

  #startMerge(): void {
    this.#merge = this.#mergeLog()
      .catch(() => {
        // The log still has all of them: it is read again, and the next merge includes them.
        this.#merging.clear();
        this.#recent.clear();
        this.#isLogRead = false;
      })
      .finally(() => (this.#merge = null));
  }

  async #mergeLog(): Promise<void> {
    await Promise.resolve(); // until the batch of the unit that filled the log is on disk
    [this.#merging, this.#recent] = [this.#recentEntries(), this.#merging];
    const upTo = this.#lastNumber;
    const inOrder = this.#merging.sortedKeys();
    for (const slice of slicesOf(this.#merging, inOrder))
      // Entries that were removed meanwhile are left out.
      await this.#writeUnit(() =>
        this.#storage.insert(slice.flatMap(([key, row]) => (this.#merging.hasRow(key, row) ? [key, row] : []))),
      );
    this.#merging.clear();
    for (let removed = forgetSlice; removed === forgetSlice;)
      removed = await this.#writeUnit(() => this.#storage.forget(upTo, forgetSlice));
  }
}

/** The entries of these keys in ascending order, `mergeSlice` at a time, even if one key has more rows than that. */
function* slicesOf(table: KeyTable, keys: Float64Array): Generator<[key: number, row: number][], void, void> {
  let slice: [number, number][] = [];
  for (const key of keys)
    for (const row of table.find(key, []).sort((one, other) => one - other)) {
      slice.push([key, row]);
      if (slice.length < mergeSlice) continue;
      yield slice;
      slice = [];
    }
  if (slice.length > 0) yield slice;
}
