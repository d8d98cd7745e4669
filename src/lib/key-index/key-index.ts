import { pause } from "../concurrency/pause.ts";
import type { Engine } from "../../adapters/storage/sqlite/engine.ts";
import { KeyFilter } from "./key-filter.ts";
import { KeyTable } from "./key-table.ts";
import { prepared, type Prepared } from "../../adapters/storage/sqlite/prepared.ts";
import { RowInserter } from "../../adapters/storage/sqlite/row-inserter.ts";

/** Entries that wait in the log before they are merged; in memory they take 2 MB, and those of a merge as much. */
export const mergeAt = 90_000;
/** Sorted entries written in one unit: about 10 ms of the event loop in a large table. */
const mergeSlice = 2_000;
const forgetSlice = 5_000;
/** Nearly every key has fewer rows. */
const firstPage = 8;
/** Imports are large when they get so far; the filter costs a walk over the whole table. */
const batchesBeforeFilter = 20;
const filterSlice = 5_000;
/** A filter can't forget a key: with too many that are gone, it would let most look-ups through. */
const filterAnewAfter = 1_000_000;

/** What is indexed, and where: `table` has the columns `key` and `row`, its log has the name with `_log` behind it. */
export type IndexedRows = {
  table: string;
  row: string;
  /** Rows below this number are gone for good: what the log still has of them is left out. */
  firstKept?: () => number;
};

/**
 * Finds rows by 53-bit hashes of what identifies them. A sorted table alone would dirty a random page for each key of
 * each new row, which makes an import of a million rows slower by a factor of five; so new entries go to a log, which
 * is also kept in memory, and are merged in sorted order, when many of them share a page.
 *
 * Answers are hints: an entry may outlive its row, or what the row was. Follow it and compare.
 */
export class HashIndex {
  readonly #engine: Pick<Engine, "database" | "writer">;
  // Plain statements: these run three times for each row of an import, and drizzle would double what they cost.
  readonly #inTable: Prepared<[number]>;
  readonly #pageOfTable: Prepared<unknown, [number, number, number]>;
  readonly #append: Prepared;
  readonly #insert: RowInserter;
  readonly #removeFromTable: Prepared;
  readonly #forget: Prepared;
  readonly #indexed: IndexedRows;
  /** Entries of the log: those that came since the last merge began, and those that are being merged. */
  #recent = new KeyTable();
  #merging = new KeyTable();
  #isLogRead = false;
  /** What the table and the log have, once it is whole. */
  #filter: KeyFilter | null = null;
  #isFilterWhole = false;
  #removedSinceFilled = 0;
  #batches = 0;
  /** Pairs that the units of a batch have added. */
  #unwritten: number[] = [];
  /** Of the log. Never used twice while this process lives: below `upTo` a merge forgets everything. */
  #lastNumber = 0;
  #merge: Promise<void> | null = null;

  constructor(engine: Pick<Engine, "database" | "writer">, indexed: IndexedRows) {
    this.#engine = engine;
    this.#indexed = indexed;
    const { database } = engine;
    const { table, row } = indexed;
    this.#inTable = prepared(database, `SELECT ${row} FROM ${table} WHERE key = ?`);
    this.#pageOfTable = prepared(
      database,
      `SELECT ${row} FROM ${table} WHERE key = ? AND ${row} > ? ORDER BY ${row} LIMIT +?`,
    );
    this.#append = prepared(database, `INSERT INTO ${table}_log (n, entries) VALUES (?, ?)`);
    this.#insert = new RowInserter(database, `INSERT OR IGNORE INTO ${table} (key, ${row})`, 2);
    this.#removeFromTable = prepared(database, `DELETE FROM ${table} WHERE key = ? AND ${row} = ?`);
    this.#forget = prepared(
      database,
      `DELETE FROM ${table}_log WHERE n IN (SELECT n FROM ${table}_log WHERE n <= ? ORDER BY n LIMIT ?)`,
    );
  }

  /** The numbers of rows that may have this key. */
  find(key: number): number[] {
    if (this.isSurelyNew(key)) return [];
    return this.#recentEntries().find(key, this.#merging.find(key, this.#merged(key)));
  }

  /**
   * Returns what `find` does, oldest first and read on demand: callers that stop at the first few don't pay for a person
   * who is stored thousands of times. Not for use across a change of the index.
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
      const rows = (this.#pageOfTable.values(key, last, limit) as [number][]).flat();
      yield* rows;
      if (rows.length < limit) return;
      last = rows.at(-1)!;
    }
  }

  /** Of what `find` finds, the part that its table does not have yet: for a thread that reads the table itself. */
  unmerged(key: number): number[] {
    return this.#recentEntries().find(key, this.#merging.find(key, []));
  }

  /** Whether `find` would find any. */
  has(key: number): boolean {
    if (this.isSurelyNew(key)) return false;
    return this.#recentEntries().has(key) || this.#merging.has(key) || this.#merged(key).length > 0;
  }

  /** Whether no row has this key, as far as memory tells. False is no promise that one has. */
  isSurelyNew(key: number): boolean {
    return this.#isFilterWhole && this.#filter?.has(key) === false;
  }

  /** Spares look-ups of keys that are new, which for whoever calls this nearly all of them are. */
  async expectNew(): Promise<void> {
    if (this.#filter === null) await this.#fillFilter();
  }

  #merged(key: number): number[] {
    return (this.#inTable.values(key) as [number][]).flat();
  }

  /** Found from now on; `write` must follow before the COMMIT. */
  add(key: number, row: number): void {
    this.#recentEntries().add(key, row);
    this.#filter?.add(key);
    this.#unwritten.push(key, row);
  }

  /** What was added, and is not written, does not hold; it stays in memory as a hint to nothing. */
  takeBack(): void {
    this.#unwritten = [];
  }

  /** Inside a transaction: puts what was added into the log. */
  write(): void {
    if (this.#unwritten.length === 0) return;
    const entries = new Float64Array(this.#unwritten);
    this.#unwritten = [];
    this.#append.run(++this.#lastNumber, new Uint8Array(entries.buffer));
    if (this.#recent.size >= mergeAt && this.#merge === null) this.#startMerge();
  }

  /** Inside a write unit; for rows that are deleted for good. */
  remove(key: number, row: number): void {
    this.#removeFromTable.run(key, row);
    // The log keeps it until the merge, which goes by what is in memory.
    this.#recentEntries().remove(key, row);
    this.#merging.remove(key, row);
    if (this.#filter !== null && ++this.#removedSinceFilled === filterAnewAfter) void this.#fillFilter();
  }

  /** Resolves when there is room for more: whoever adds many entries waits for it before each batch. */
  async room(): Promise<void> {
    if (++this.#batches === batchesBeforeFilter) await this.expectNew();
    if (this.#recent.size >= mergeAt) await this.#merge;
  }

  async #fillFilter(): Promise<void> {
    const filter = new KeyFilter();
    this.#filter = filter;
    this.#isFilterWhole = false;
    this.#removedSinceFilled = 0;
    try {
      // Not with the start of a process, which reads no log.
      await pause();
      // What is added from now on is added here, too, so that nothing is missed behind the place where this reads.
      for (const table of [this.#recentEntries(), this.#merging]) table.eachKey((key) => filter.add(key));
      await this.#addAllOfTable(filter);
      // Unless another one was begun since.
      this.#isFilterWhole = this.#filter === filter;
    } catch {
      // Without it every key is looked up, and who does so hears why the table can't be read.
    }
  }

  async #addAllOfTable(filter: KeyFilter): Promise<void> {
    const page = prepared<{ key: number }, [number]>(
      this.#engine.database,
      `SELECT key FROM ${this.#indexed.table} WHERE key > ? ORDER BY key LIMIT ${filterSlice}`,
    );
    for (let last: number | undefined = -1; last !== undefined;) {
      const keys = page.values(last) as [number][];
      for (const [key] of keys) filter.add(key);
      last = keys.at(-1)?.[0];
      await pause();
    }
  }

  /** Resolves when no merge is under way. */
  async settled(): Promise<void> {
    await this.#merge;
  }

  /** With what the log had when this process began. */
  #recentEntries(): KeyTable {
    if (this.#isLogRead) return this.#recent;
    this.#isLogRead = true;
    const { table, firstKept = () => 0 } = this.#indexed;
    const from = firstKept();
    const log = this.#engine.database.query(`SELECT n, entries FROM ${table}_log`);
    for (const [n, blob] of log.values() as [number, Uint8Array][]) {
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
        // The log still has all of them: it is read anew, and the next merge takes them along.
        this.#merging.clear();
        this.#recent.clear();
        this.#isLogRead = false;
      })
      .finally(() => (this.#merge = null));
  }

  async #mergeLog(): Promise<void> {
    const { writer } = this.#engine;
    await Promise.resolve(); // until the batch of the unit that found the log full is on disk
    [this.#merging, this.#recent] = [this.#recentEntries(), this.#merging];
    const upTo = this.#lastNumber;
    const inOrder = this.#merging.sortedKeys();
    for (const slice of slicesOf(this.#merging, inOrder))
      // What was removed in the meantime is left out.
      await writer.write(() =>
        this.#insert.insert(slice.flatMap(([key, row]) => (this.#merging.hasRow(key, row) ? [key, row] : []))),
      );
    this.#merging.clear();
    for (let removed = forgetSlice; removed === forgetSlice;)
      removed = await writer.write(() => this.#forget.run(upTo, forgetSlice).changes);
  }
}

/** The entries of these keys in ascending order, `mergeSlice` at a time: also a key with many rows takes its turns. */
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
