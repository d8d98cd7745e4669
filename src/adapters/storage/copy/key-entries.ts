import type { Database } from "bun:sqlite";
import { pageEntries, pagesOf, pagesOfRun, PageRoom } from "../../../lib/key-index/key-pages.ts";
import type { RunState } from "../../../lib/key-index/key-runs.ts";
import { eachBlob } from "../../../lib/concurrency/packed-blobs.ts";
import type { CopiedColumn } from "./copied-table.ts";
import { encodeRows } from "./row-text.ts";
import type { Rows } from "./sides.ts";

// SQLite stores the keys of prospects in sorted runs of pages (lib/key-index), PostgreSQL in a table.

/** A run is not merged with the next flush if it has at least 200,000 entries, and is not large if it has 3 million. */
export const entriesOfRun = 262_144;
const entriesAtOnce = 8192;

type Entry = { key: number; number: number };

/** Reads the keys of all directories in order, each entry once. */
export async function* keyEntriesAfter(
  database: Database,
  columns: readonly CopiedColumn[],
  after: string | null,
): AsyncGenerator<Rows, void, void> {
  const [fromOwner, fromKey, fromNumber] = (after === null ? [0, -1, -1] : JSON.parse(after)) as number[];
  const directories = database
    .query<{ owner: number; key_runs: string }, [number]>(
      "SELECT owner, key_runs FROM prospect_directories WHERE owner >= ? ORDER BY owner",
    )
    .all(fromOwner!);
  let rows: number[][] = [];
  const taken = (): Rows => {
    const some = { lines: encodeRows(columns, rows), count: rows.length, after: JSON.stringify(rows.at(-1)) };
    rows = [];
    return some;
  };
  for (const { owner, key_runs } of directories)
    for (const { key, number } of mergedEntries(database, JSON.parse(key_runs) as RunState[])) {
      if (owner === fromOwner && (key < fromKey! || (key === fromKey && number <= fromNumber!))) continue;
      rows.push([owner, key, number]);
      if (rows.length === entriesAtOnce) yield taken();
    }
  if (rows.length > 0) yield taken();
}

/** The entries of several runs in order, without those that are in more than one. */
function* mergedEntries(database: Database, runs: readonly RunState[]): Generator<Entry, void, void> {
  const cursors = runs.map((run) => new Cursor(database, run));
  let [lastKey, lastNumber] = [-1, -1];
  for (;;) {
    const [least, next] = firstTwo(cursors);
    if (least === null) return;
    // Most runs do not overlap, so many entries in a row come from one.
    do {
      const { key, number } = least;
      if (key !== lastKey || number !== lastNumber) yield { key, number };
      [lastKey, lastNumber] = [key, number];
      least.advance();
    } while (!least.isAtEnd && (next === null || least.isBefore(next)));
  }
}

/** The cursors with the lowest entries. */
function firstTwo(cursors: readonly Cursor[]): [Cursor | null, Cursor | null] {
  let [least, next]: [Cursor | null, Cursor | null] = [null, null];
  for (const cursor of cursors) {
    if (cursor.isAtEnd) continue;
    if (least === null || cursor.isBefore(least)) [least, next] = [cursor, least];
    else if (next === null || cursor.isBefore(next)) next = cursor;
  }
  return [least, next];
}

/** Reads a run. Entries with the same key, which a run does not order by number, are sorted. */
class Cursor {
  readonly #page;
  readonly #room = new PageRoom();
  readonly #run: number;
  readonly #entries: number;
  /** Of the entries that are read but not passed yet; those with the last key may be incomplete. */
  #keys: number[] = [];
  #numbers: number[] = [];
  #at = 0;
  #read = 0;
  /** Entries with one key, in order. */
  #group: number[] = [];
  #groupAt = 0;
  key = -1;
  number = -1;
  isAtEnd = false;

  constructor(database: Database, [run, entries]: RunState) {
    this.#page = database.query("SELECT entries FROM prospect_key_pages WHERE place = ?");
    this.#run = run;
    this.#entries = entries;
    this.advance();
  }

  isBefore(other: Cursor): boolean {
    return this.key < other.key || (this.key === other.key && this.number < other.number);
  }

  advance(): void {
    if (this.#groupAt === this.#group.length && !this.#nextGroup()) {
      this.isAtEnd = true;
      return;
    }
    this.number = this.#group[this.#groupAt++]!;
  }

  #nextGroup(): boolean {
    if (this.#at === this.#keys.length && !this.#readPage()) return false;
    this.key = this.#keys[this.#at]!;
    this.#group = [];
    this.#groupAt = 0;
    do this.#group.push(this.#numbers[this.#at++]!);
    while ((this.#at < this.#keys.length || this.#readPage()) && this.#keys[this.#at] === this.key);
    if (this.#group.length > 1) this.#group.sort((one, other) => one - other);
    return true;
  }

  #readPage(): boolean {
    if (this.#read >= this.#entries) return false;
    const place = this.#run * pagesOfRun + this.#read / pageEntries;
    const [row] = this.#page.values(place) as [Uint8Array][];
    if (row === undefined) throw new Error(`Expected page ${place} of the keys of prospects, found none`);
    const { keys, numbers } = this.#room.entriesIn(row[0]);
    const count = Math.min(keys.length, this.#entries - this.#read);
    this.#keys = Array.from(keys.subarray(0, count));
    this.#numbers = Array.from(numbers.subarray(0, count));
    this.#read += count;
    this.#at = 0;
    return count > 0;
  }
}

/** Writes sorted keys of one directory as a run, inside a transaction. */
export function writeRun(database: Database, owner: number, keys: number[], numbers: number[]): void {
  const last = database.query<{ place: number | null }, []>("SELECT max(place) AS place FROM prospect_key_pages").get();
  const run = Math.floor((last?.place ?? 0) / pagesOfRun) + 1;
  const insert = database.query("INSERT INTO prospect_key_pages (place, entries) VALUES (?, ?)");
  const entries = { keys: Float64Array.from(keys), numbers: Uint32Array.from(numbers) };
  for (const pages of pagesOf(run, entries)) eachBlob(pages, (place, bytes) => void insert.run(place, bytes));
  database
    .query("UPDATE prospect_directories SET key_runs = json_insert(key_runs, '$[#]', json_array(?, ?)) WHERE owner = ?")
    .run(run, keys.length, owner);
}
