import type { Database, Statement } from "bun:sqlite";
import { freeMemory } from "../../../../lib/concurrency/garbage.ts";
import {
  eachRaw,
  termRules,
  termsOfRaw,
  type RawFacet,
  type Term,
} from "../../../../features/prospecting/facets/terms.ts";
import { besideName, besideNameOf, keysOfRecord, prospectIdentity } from "../../../../features/prospecting/keys.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { changedNames } from "./company-names.ts";
import { seqOf } from "../../prospect-seq.ts";
import type { KeyHints, StoredRows, Write } from "./index-messages.ts";
import { KeyRuns, type RunState } from "../../../../lib/key-index/key-runs.ts";
import { dropRuns, runPages } from "./key-run-pages.ts";
import { addKeyColumn, addKeys } from "../../../../features/prospecting/name-keys.ts";
import { LowestNumbers } from "../../../../lib/search-index/lowest-numbers.ts";
import { StoredBatches } from "./stored-batches.ts";
import { ToldRows } from "./told-rows.ts";
import { postingWrites } from "./posting-writes.ts";
import { RememberedTerms } from "../../../../features/prospecting/facets/remembered-terms.ts";
import { Postings, segments, type PostingsCache, type TermPostings } from "./postings.ts";

/** Prospects per slice; other questions are answered between slices. */
const readAtOnce = 2000;
/** A slice of at least this size belongs to an import, and leaves garbage. */
const manyRows = 200;
/** A flush starts with a segment of new or changed prospects, or 64 MiB of changed containers. */
const flushRows = segments;
const flushContainers = 8192;
/** Raw values whose terms are cached. */
const maxRemembered = 100_000;

type State = { indexed_to: number; changes_to: number; key_runs: string; rules: number };
type Change = [n: number, number: number, removed: string, added: string, keys: Uint8Array];
/** Shared by all indexes of the thread. */
export type Shared = {
  cache: PostingsCache;
  nextTerm: () => number;
  nextRun: () => number;
  pause: () => Promise<void>;
  /** Called after each slice of many prospects; `isMuch`: after a flush, which leaves several MB. */
  collect: (isMuch?: boolean) => void;
};

/**
 * The index of one directory. It follows committed prospects, so that storing them does not involve the index: before each
 * answer, it reads what was committed since the last one. Changes stay in memory until a flush writes them. After a crash,
 * they are derived from the prospects again.
 */
export class DirectoryIndex {
  readonly #database: Database;
  readonly #owner: number;
  readonly #write: Write;
  readonly #shared: Shared;
  readonly #version: Statement<{ data_version: number }, []>;
  readonly #rows: Statement<unknown, [number, number, number]>;
  readonly #changes: Statement<unknown, [number, number, number]>;
  readonly #lastChange: Statement<{ n: number | null }, [number]>;
  readonly #state: Statement<State, [number]>;
  #remembered = new RememberedTerms<TermPostings[]>();
  readonly #batches = new StoredBatches();
  readonly #told = new ToldRows();
  #generation = 0;
  #number = 0;
  #opened: { postings: Postings; keys: KeyRuns } | null = null;
  #indexedTo = 0;
  #changesTo = 0;
  #unwrittenRows = 0;
  #unwrittenChanges = 0;
  #seenVersion = -1;
  #revision = 0;
  #flushing: Promise<void> | null = null;

  constructor(database: Database, owner: number, write: Write, shared: Shared) {
    this.#database = database;
    this.#owner = owner;
    this.#write = write;
    this.#shared = shared;
    this.#version = database.prepare("PRAGMA data_version");
    this.#rows = database.prepare(
      "SELECT seq, content FROM prospects WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT +?",
    );
    this.#changes = database.prepare(
      "SELECT n, number, removed, added, keys FROM prospect_changes WHERE owner = ? AND n > ? ORDER BY n LIMIT +?",
    );
    this.#lastChange = database.prepare("SELECT max(n) AS n FROM prospect_changes WHERE owner = ?");
    this.#state = database.prepare(
      "SELECT indexed_to, changes_to, key_runs, rules FROM prospect_directories WHERE owner = ?",
    );
  }

  get postings(): Postings {
    const { postings } = this.#open;
    this.#told.moveTo(postings);
    return postings;
  }

  /** Changes whenever prospects are added. */
  get revision(): number {
    return this.#revision;
  }

  /** Number of segments with prospects. */
  get segments(): number {
    return Math.ceil(this.#indexedTo / segments);
  }

  /**
   * Adds everything that was committed before, except prospects from `end` on: an import may have just stored these, and
   * be about to report them.
   */
  async refresh(end = Number.POSITIVE_INFINITY): Promise<void> {
    const version = this.#version.get()?.data_version ?? 0;
    if (version === this.#seenVersion) return;
    if (this.#opened === null && !(await this.#openState())) return;
    for (;;) {
      const rowsBefore = this.#indexedTo;
      const isDone = this.#readSlice(end);
      // Not inside the slice: objects that are alive during a collection of young garbage become old.
      if (this.#indexedTo - rowsBefore >= manyRows) this.#shared.collect();
      if (this.#isMuchUnwritten) await this.#beginFlush();
      if (isDone) break;
      await this.#shared.pause();
    }
    if (end === Number.POSITIVE_INFINITY) this.#seenVersion = version;
  }

  /** Prospects that may have these keys. */
  find(keys: Float64Array, most: number): KeyHints {
    const pairs: number[] = [];
    const found: number[] = []; // one for all: a list for each key would be most of what an import leaves behind
    if (this.#opened === null) return Uint32Array.from(pairs);
    const { keys: known } = this.#opened;
    // In one transaction: otherwise, each page that is read acquires and releases locks.
    this.#database.transaction(() => {
      for (let place = 0; place < keys.length; place++) {
        found.length = 0;
        known.find(keys[place]!, most, found);
        for (let at = 0; at < found.length; at++) pairs.push(place, found[at]!);
      }
    })();
    return Uint32Array.from(pairs);
  }

  /** The lowest numbers from `from` on that may have one of these keys, at most `most`. */
  lowest(keys: Float64Array, from: number, most: number): Uint32Array {
    const lowest = new LowestNumbers(from, most);
    if (this.#opened === null) return lowest.take();
    const { keys: known } = this.#opened;
    const add = (number: number): void => lowest.add(number);
    this.#database.transaction(() => {
      for (let place = 0; place < keys.length; place++) known.each(keys[place]!, add);
    })();
    return lowest.take();
  }

  /** Whether `prepare` would speed up the current kind of questions. */
  get isToBePrepared(): boolean {
    return this.#opened?.keys.isToBePrepared ?? false;
  }

  /** Performs one slice, of about 20 ms. */
  prepare(): void {
    this.#open.keys.prepare();
  }

  /** Writes all changes to disk. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#opened === null) return;
    if (this.#unwrittenRows > 0 || this.#unwrittenChanges > 0) {
      await this.#beginFlush();
      await this.#flushing;
    }
    this.#open.keys.rest();
  }

  get #isMuchUnwritten(): boolean {
    const unwritten = this.#unwrittenRows + this.#unwrittenChanges;
    return unwritten >= flushRows || this.#open.postings.dirtyContainers >= flushContainers;
  }

  get #open(): { postings: Postings; keys: KeyRuns } {
    if (this.#opened === null) throw new Error("The index was not refreshed");
    return this.#opened;
  }

  /** False if the owner has no directory yet. */
  async #openState(): Promise<boolean> {
    let state = this.#state.get(this.#owner);
    if (state === null) return false;
    if (state.rules !== termRules) {
      await this.#forgetAll(JSON.parse(state.key_runs) as RunState[]);
      state = this.#state.get(this.#owner)!;
    }
    this.#indexedTo = state.indexed_to;
    this.#changesTo = state.changes_to;
    const { cache, nextTerm } = this.#shared;
    this.#opened = {
      postings: new Postings(this.#database, this.#owner, cache, nextTerm),
      keys: new KeyRuns(runPages(this.#database), JSON.parse(state.key_runs) as RunState[]),
    };
    return true;
  }

  /** The index was built by other rules: starts over with an empty one. */
  async #forgetAll(runs: RunState[]): Promise<void> {
    while ((await this.#write({ kind: "dropTerms" })) !== 0);
    for (const names of changedNames(this.#database, this.#owner)) await this.#write({ kind: "companyNames", names });
    // Earlier changes are contained in the prospects.
    const changesTo = this.#lastChange.get(this.#owner)?.n ?? 0;
    await this.#write({ kind: "state", indexedTo: 0, changesTo, keyRuns: [], rules: termRules });
    await dropRuns(
      runs.map(([run]) => run),
      this.#write,
    );
  }

  /** Receives prospects that were just committed. Those that are not reported are read. */
  take(stored: StoredRows): void {
    this.#batches.take(stored);
  }

  /** Adds a slice, as of one moment. True if nothing remains before `end`. */
  #readSlice(end: number): boolean {
    const before = this.#indexedTo;
    return this.#database.transaction(() => {
      let left = readAtOnce;
      let isEnd = false;
      while (left > 0 && !isEnd) {
        const told = this.#batches.nextFrom(this.#indexedTo);
        if (told === this.#indexedTo) left -= this.#indexStored();
        else if (this.#indexedTo >= end) isEnd = true;
        else {
          const to = Math.min(told, end);
          const count = this.#indexRows(to, left);
          left -= count;
          // There may be fewer: some may be deleted, or belong to a unit that failed.
          if (left > 0 && to !== Number.POSITIVE_INFINITY) this.#indexedTo = to;
          else isEnd = left > 0;
        }
      }
      this.#unwrittenRows += this.#indexedTo - before;
      // Only when all earlier prospects have been added: a change describes the current state, and the report of a
      // prospect is older.
      const changes = isEnd ? (this.#changes.values(this.#owner, this.#changesTo, readAtOnce) as Change[]) : [];
      const later = changes.findIndex(([, number]) => number >= end);
      const applied = later === -1 ? changes : changes.slice(0, later);
      for (const change of applied) this.#applyChange(change);
      this.#unwrittenChanges += applied.length;
      if (this.#indexedTo - before + applied.length > 0) this.#revision++;
      return isEnd && applied.length < readAtOnce;
    })();
  }

  /** Reads up to `most` prospects with numbers below `end`. Returns how many. */
  #indexRows(end: number, most: number): number {
    const { keys } = this.#open;
    const from = seqOf(this.#owner, this.#indexedTo);
    const to = end === Number.POSITIVE_INFINITY ? seqOf(this.#owner + 1, 0) : seqOf(this.#owner, end);
    const rows = this.#rows.values(from, to, most) as [number, string][];
    const first = seqOf(this.#owner, 0);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      const number = row[0] - first;
      const content = JSON.parse(row[1]) as ProspectContent;
      this.#indexRow(number, content);
      const identity = prospectIdentity(content);
      addKeys(keys, keysOfRecord(content, identity), besideNameOf(identity), number);
      this.#indexedTo = number + 1;
    }
    return rows.length;
  }

  /** Adds a reported batch. Returns the number of prospects. */
  #indexStored(): number {
    const { stored, raws } = this.#batches.shift();
    const { first, places, found } = stored;
    const { keys } = this.#open;
    let row = 0;
    let key = 0;
    for (let at = 0; at < places.length; at++) {
      const place = places[at]!;
      const number = first + at;
      for (; row < place; row++) key += found.keyCounts[row]!;
      if (place === -1 || found.rawCounts[place] === 0) {
        this.#indexedTo = number;
        this.#indexRows(number + 1, 1);
        continue;
      }
      const end = key + found.keyCounts[place]!;
      addKeys(keys, found.keys, found.beside[place]!, number, key, end);
      key = end;
      row++;
    }
    freeMemory([found.keys, found.keyCounts, found.beside]);
    if (!this.#told.add(stored, raws)) {
      this.#told.moveTo(this.#open.postings);
      this.#told.add(stored, raws);
    }
    this.#indexedTo = first + places.length;
    return places.length;
  }

  #indexRow(number: number, content: ProspectContent): void {
    if (this.#generation !== this.#open.postings.generation || this.#remembered.size > maxRemembered)
      this.#forgetTerms();
    this.#number = number;
    eachRaw(content, this.#addRaw);
  }

  readonly #addRaw = (facet: RawFacet, raw: string): void => {
    this.#addAll(this.#remembered.get(facet, raw) ?? this.#remember(facet, raw, termsOfRaw(facet, raw)));
  };

  #addAll(found: TermPostings[]): void {
    const { postings } = this.#open;
    for (let at = 0; at < found.length; at++) postings.add(found[at]!, this.#number);
  }

  #remember(facet: string, raw: string, terms: Term[]): TermPostings[] {
    const found = terms.map((term) => this.#open.postings.of(term));
    this.#remembered.set(facet, raw, found);
    return found;
  }

  #forgetTerms(): void {
    this.#generation = this.#open.postings.generation;
    this.#remembered = new RememberedTerms<TermPostings[]>();
  }

  #applyChange([n, number, removed, added, keys]: Change): void {
    for (const term of JSON.parse(removed) as Term[]) this.postings.remove(this.postings.of(term), number);
    for (const term of JSON.parse(added) as Term[]) this.postings.add(this.postings.of(term), number);
    // The identifiers beside a name are unknown here, so it is stored under its plain key, which every lookup includes.
    addKeyColumn(this.#open.keys, keys, besideName(false, false), number);
    this.#changesTo = n;
  }

  /** Starts a flush after the current one. Failures are retried by a later flush. */
  async #beginFlush(): Promise<void> {
    await this.#flushing;
    const flush = this.#flushAll().finally(() => {
      this.#flushing = null;
      this.#shared.collect(true);
    });
    this.#flushing = flush.then(
      () => void this.#mergeRuns(),
      () => undefined,
    );
  }

  /** Runs in the background: until it ends, questions and flushes use the previous runs. */
  async #mergeRuns(): Promise<void> {
    const { keys } = this.#open;
    const merge = keys.beginMerge(this.#shared.nextRun);
    if (merge === null) return;
    try {
      for (const pages of merge.pages()) await this.#write({ kind: "pages", pages });
      keys.endMerge();
    } catch {
      // The next flush starts it again. What cannot be deleted either is removed at the next start.
      keys.failMerge();
      await dropRuns([merge.run], this.#write).catch(() => undefined);
    }
  }

  async #flushAll(): Promise<void> {
    const { keys } = this.#open;
    const { postings } = this;
    const [indexedTo, changesTo] = [this.#indexedTo, this.#changesTo];
    const rows = this.#unwrittenRows;
    const hadChanges = this.#unwrittenChanges > 0;
    const terms = postings.beginFlush();
    const run = keys.beginFlush(this.#shared.nextRun);
    this.#unwrittenRows = 0;
    this.#unwrittenChanges = 0;
    try {
      for (const work of postingWrites(terms)) await this.#write(work);
      for (const pages of run?.pages ?? []) await this.#write({ kind: "pages", pages });
      const keyRuns = run?.runs ?? keys.state;
      await this.#write({ kind: "state", indexedTo, changesTo, keyRuns, rules: termRules });
      postings.endFlush();
      if (run !== null) keys.endFlush(run.runs);
    } catch (error) {
      postings.failFlush();
      keys.failFlush();
      this.#unwrittenRows += rows;
      throw error;
    }
    await dropRuns(run?.dropped ?? [], this.#write);
    if (hadChanges) while ((await this.#write({ kind: "dropChanges", to: changesTo })) !== 0);
  }
}
