import type { Database } from "bun:sqlite";
import { identityKeysOfRow, keysOfRow, withList, type PackedRows } from "../../../features/leads/import/packed-rows.ts";
import { leadStatuses } from "../../../features/leads/model.ts";
import type { KeyIndex } from "../../../lib/key-index/key-index.ts";
import { insertPackedSql, type LeadRows } from "./lead-rows.ts";
import type { PhoneKeys } from "./phone-keys.ts";
import { prepared, RowInserter } from "./prepared.ts";

/** Stores the rows of one batch that become leads, without unpacking them: each range with one statement. */
export class NewLeads {
  readonly #parts: NewLeadParts;
  readonly #jobId: string;
  readonly #rows: PackedRows;
  readonly #at: number;
  /** Of each row; phone numbers come last. */
  readonly #keysStored: number;
  readonly #first: number;
  /** Number (`seq`) of the next lead, as the table counts. */
  #next: number;
  /** Tags before this index belong to earlier rows. */
  #tag = 0;

  /** In a write unit that stores leads only through this object. */
  constructor(parts: NewLeadParts, jobId: string, rows: PackedRows, at: number) {
    this.#parts = parts;
    this.#jobId = jobId;
    this.#rows = rows;
    this.#at = at;
    this.#first = parts.latest.get()!.seq + 1;
    this.#next = this.#first;
    this.#keysStored = parts.phoneKeys.isWanted ? keysOfRow : identityKeysOfRow;
  }

  /** Number of the n-th lead that was stored, from 1. */
  numberOf(n: number): number {
    return this.#first + n - 1;
  }

  /** Rows from one index up to, but not including, another; ranges come in order. */
  store(from: number, to: number): void {
    const { insert, insertTags, count, phoneKeys } = this.#parts;
    const { owner, statuses } = this.#rows;
    if (this.#keysStored < keysOfRow) phoneKeys.leaveOut(this.#next);
    const { lastInsertRowid } = withList(this.#rows, from, to, (list) => insert.run(list, owner, this.#at));
    const last = this.#next + to - from - 1;
    if (Number(lastInsertRowid) !== last)
      throw new Error(`Expected the last lead to be ${last}, got ${lastInsertRowid}`);
    this.#noteCreated(from, to);
    const tags: (string | number)[] = [];
    const ofStatus = leadStatuses.map(() => 0);
    for (let index = from; index < to; index++) {
      const lead = this.#next++;
      this.#addKeys(index, lead);
      this.#addTags(index, lead, tags);
      ofStatus[statuses[index]!]!++;
    }
    insertTags.insert(tags);
    for (const [index, change] of ofStatus.entries()) if (change > 0) count(owner, leadStatuses[index]!, change);
  }

  /** For the report: ranges, because one line for each lead would double what an import writes. */
  #noteCreated(first: number, end: number): void {
    const { numbers } = this.#rows;
    for (let from = first; from < end;) {
      let to = from + 1;
      while (to < end && numbers[to] === numbers[from]! + to - from) to++;
      this.#parts.insertCreated.run(this.#jobId, numbers[from]!, this.#next + from - first, to - from, this.#at);
      from = to;
    }
  }

  #addKeys(index: number, lead: number): void {
    const from = index * keysOfRow;
    for (let at = from; at < from + this.#keysStored; at++) {
      const key = this.#rows.keys[at]!;
      if (!Number.isNaN(key)) this.#parts.keys.add(key, lead);
    }
  }

  #addTags(index: number, lead: number, values: (string | number)[]): void {
    const { owner, tags, tagRows } = this.#rows;
    while (tagRows[this.#tag]! < index) this.#tag++;
    for (; tagRows[this.#tag] === index; this.#tag++) values.push(owner, tags[this.#tag]!, lead);
  }
}

type NewLeadParts = ReturnType<typeof createNewLeadParts>;

/** Statements that all batches share. */
export function createNewLeadParts(
  { database }: { database: Database },
  keys: KeyIndex,
  phoneKeys: PhoneKeys,
  { count }: LeadRows,
) {
  const latest = prepared<{ seq: number }, []>(database, "SELECT coalesce(max(seq), 0) AS seq FROM leads");
  const insert = prepared(database, insertPackedSql);
  const insertTags = new RowInserter(database, "INSERT OR IGNORE INTO lead_tags (owner, tag, lead)", 3);
  const insertCreated = prepared(
    database,
    "INSERT OR REPLACE INTO lead_import_created (job_id, row, lead, leads, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  return { latest, insert, insertTags, insertCreated, keys, phoneKeys, count };
}
