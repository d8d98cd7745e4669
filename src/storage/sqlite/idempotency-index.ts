import type { Database } from "bun:sqlite";
import { IdFilter } from "./id-filter.ts";
import { RowInserter } from "./row-inserter.ts";
import type { Writer } from "./writer.ts";

/** Ids are spread over all pages of the table: the more are added together, the fewer pages are written for each. */
const movedAtOnce = 16_384;
/** Read along with each of the first look-ups. */
const filledAtOnce = 128;

type Entry = { id: string; seq: number };

/**
 * Where kept requests are found: those of late in memory, the others in a table. Ids are random, so that to index each
 * with its row would write one more page for each, three times what the row itself costs.
 */
export class IdempotencyIndex {
  readonly #writer: Writer;
  readonly #lookUp;
  readonly #page;
  readonly #indexedTo;
  readonly #rest;
  readonly #add: RowInserter;
  readonly #remove;
  readonly #setIndexed;
  /** By id, all that is committed and not in the table yet. */
  readonly #recent = new Map<string, number>();
  #isOpen = false;
  /** Of the recent and those in the table, so that neither need be asked for each new request. */
  readonly #filter = new IdFilter();
  /** Up to where in the table the filter knows what was there when the process began. */
  #filledTo = new Uint8Array();
  #isFilled = false;
  #lastSeq = 0;
  #isMoving = false;

  constructor(database: Database, writer: Writer) {
    this.#writer = writer;
    this.#lookUp = database.query<{ seq: number }, [Uint8Array]>("SELECT seq FROM idempotent_request_ids WHERE id = ?");
    this.#page = database.prepare<Entry, [Uint8Array]>(
      `SELECT lower(hex(id)) AS id, seq FROM idempotent_request_ids WHERE id > ? ORDER BY id LIMIT ${filledAtOnce}`,
    );
    this.#indexedTo = database.prepare<{ upTo: number }, []>("SELECT up_to AS upTo FROM idempotent_requests_indexed");
    this.#rest = database.prepare<Entry, [number]>(
      "SELECT lower(hex(id)) AS id, seq FROM idempotent_requests WHERE seq > ? ORDER BY seq",
    );
    this.#add = new RowInserter(database, "INSERT OR REPLACE INTO idempotent_request_ids (id, seq)", 2);
    this.#remove = database.prepare("DELETE FROM idempotent_request_ids WHERE id = ? AND seq = ?");
    this.#setIndexed = database.prepare("UPDATE idempotent_requests_indexed SET up_to = ?");
  }

  /** To be taken inside the transaction that writes the row, so that rows are committed in this order. */
  nextSeq(): number {
    this.#open();
    return ++this.#lastSeq;
  }

  /** Without a look at the table. False is no promise that the id is there. */
  isNew(id: string): boolean {
    this.#open();
    return this.#isFilled && !this.#filter.mayHave(id);
  }

  seqOf(id: string): number | null {
    this.#open();
    const recent = this.#recent.get(id);
    if (recent !== undefined) return recent;
    if (!this.#isFilled) this.#fill();
    return this.#lookUp.get(Uint8Array.fromHex(id))?.seq ?? null;
  }

  /** The row is committed. */
  added(id: string, seq: number): void {
    this.#keep(id, seq);
    if (this.#recent.size < movedAtOnce || this.#isMoving) return;
    this.#isMoving = true;
    // Not before everything of this commit was added: what is below the last seq counts as moved.
    setImmediate(() => void this.#move());
  }

  /** Inside the transaction that deletes the row. */
  remove(id: string, seq: number): void {
    this.#remove.run(Uint8Array.fromHex(id), seq);
  }

  /** That is committed. */
  removed(id: string, seq: number): void {
    if (this.#recent.get(id) === seq) this.#recent.delete(id);
  }

  /** The oldest row that is left has this seq; null: none is. */
  oldestIs(seq: number | null): void {
    this.#open();
    this.#filter.forgetBelow(seq ?? this.#lastSeq + 1);
  }

  /** With the first use: a start has no time for what most do without. */
  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#lastSeq = this.#indexedTo.get()?.upTo ?? 0;
    for (const { id, seq } of this.#rest.all(this.#lastSeq)) {
      this.#keep(id, seq);
      this.#lastSeq = seq;
    }
  }

  #keep(id: string, seq: number): void {
    this.#recent.set(id, seq);
    this.#filter.add(id, seq);
  }

  /** Reads some more of the ids that the table had when the process began. */
  #fill(): void {
    const entries = this.#page.all(this.#filledTo);
    for (const { id, seq } of entries) this.#filter.add(id, seq);
    this.#filledTo = Uint8Array.fromHex(entries.at(-1)?.id ?? "");
    this.#isFilled = entries.length < filledAtOnce;
  }

  /** What fails is tried again when more has come; after a crash all of it is in memory again. */
  async #move(): Promise<void> {
    const upTo = this.#lastSeq;
    // A write for each first digit, in the order of the table: one for all would take too long.
    const parts = Map.groupBy(this.#recent.keys(), (id) => id[0]);
    try {
      for (const ids of parts.values()) {
        ids.sort();
        for (const { id, seq } of await this.#writer.write(() => this.#addAll(ids))) this.removed(id, seq);
      }
      await this.#writer.write(() => void this.#setIndexed.run(upTo));
    } catch {
      // Said by whoever writes next.
    } finally {
      this.#isMoving = false;
    }
  }

  /** Inside a transaction: what is still kept of these. */
  #addAll(ids: readonly string[]): Entry[] {
    const entries: Entry[] = [];
    const values: (Uint8Array | number)[] = [];
    for (const id of ids) {
      const seq = this.#recent.get(id);
      if (seq === undefined) continue;
      entries.push({ id, seq });
      values.push(Uint8Array.fromHex(id), seq);
    }
    this.#add.insert(values);
    return entries;
  }
}
