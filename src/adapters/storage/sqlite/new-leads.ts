import type { Database, Statement } from "bun:sqlite";
import { identityKeysOfRow, keysOfRow, withList, type PackedRows } from "../../../features/leads/import/packed-rows.ts";
import { leadStatuses } from "../../../features/leads/model.ts";
import type { HashIndex } from "./hash-index.ts";
import { insertPackedSql } from "./lead-row.ts";
import type { LeadRows } from "./lead-rows.ts";
import type { PhoneKeys } from "./phone-keys.ts";
import { RowInserter } from "./row-inserter.ts";

/** Stores the rows of a batch that are new leads as they come packed: all that follow each other with one statement. */
export class NewLeads {
  readonly #parts: NewLeadParts;
  readonly #jobId: string;
  readonly #rows: PackedRows;
  readonly #at: number;
  /** Of each row; phone numbers come last. */
  readonly #keysTaken: number;
  /** What the next lead is known by (`seq`), as the table counts. */
  #next: number;
  /** Places of the rows that wait to be stored: from here up to, but not including, there. */
  #from = 0;
  #to = 0;
  /** Of the tags of the batch, those before belong to earlier rows. */
  #tag = 0;
  /** Of the rows that wait: owner, tag and lead of each tag, and how many there are of each status. */
  #tagValues: (string | number)[] = [];
  #ofStatus = leadStatuses.map(() => 0);

  /** Inside a write unit, in which nobody else stores leads while this does. `jobId`: the import that they are of. */
  constructor(parts: NewLeadParts, jobId: string, rows: PackedRows, at: number) {
    this.#parts = parts;
    this.#jobId = jobId;
    this.#rows = rows;
    this.#at = at;
    this.#next = parts.latest.get()!.seq + 1;
    this.#keysTaken = parts.phoneKeys.isWanted ? keysOfRow : identityKeysOfRow;
    if (this.#keysTaken < keysOfRow) parts.phoneKeys.leaveOut(this.#next);
  }

  /** Takes up the row at a place behind those before. Its keys are found from now on, but the lead only once it is stored. */
  add(place: number): void {
    if (place !== this.#to) {
      this.store();
      this.#from = place;
    }
    this.#to = place + 1;
    const lead = this.#next++;
    this.#addKeys(place, lead);
    this.#addTags(place, lead);
    this.#ofStatus[this.#rows.statuses[place]!]!++;
  }

  /** Stores what waits. */
  store(): void {
    if (this.#from === this.#to) return;
    const { insert, insertTags, count } = this.#parts;
    const { owner } = this.#rows;
    const { lastInsertRowid } = withList(this.#rows, this.#from, this.#to, (list) => insert.run(list, owner, this.#at));
    if (Number(lastInsertRowid) !== this.#next - 1)
      throw new Error(`Expected the last lead to be number ${this.#next - 1}, got ${lastInsertRowid}`);
    this.#noteCreated();
    insertTags.insert(this.#tagValues);
    for (const [index, change] of this.#ofStatus.entries()) if (change > 0) count(owner, leadStatuses[index]!, change);
    this.#from = this.#to;
    this.#tagValues = [];
    this.#ofStatus.fill(0);
  }

  /** For the report: stretches, because one line for each lead would double what an import writes. */
  #noteCreated(): void {
    const { numbers } = this.#rows;
    const first = this.#next - (this.#to - this.#from);
    for (let from = this.#from; from < this.#to;) {
      let to = from + 1;
      while (to < this.#to && numbers[to] === numbers[from]! + to - from) to++;
      this.#parts.insertCreated.run(this.#jobId, numbers[from]!, first + from - this.#from, to - from, this.#at);
      from = to;
    }
  }

  #addKeys(place: number, lead: number): void {
    const from = place * keysOfRow;
    for (let at = from; at < from + this.#keysTaken; at++) {
      const key = this.#rows.keys[at]!;
      if (!Number.isNaN(key)) this.#parts.keys.add(key, lead);
    }
  }

  #addTags(place: number, lead: number): void {
    const { owner, tags, tagRows } = this.#rows;
    while (tagRows[this.#tag]! < place) this.#tag++;
    for (; tagRows[this.#tag] === place; this.#tag++) this.#tagValues.push(owner, tags[this.#tag]!, lead);
  }
}

type NewLeadParts = ReturnType<typeof createNewLeadParts>;

/** What all batches are stored with. */
export function createNewLeadParts(
  { database }: { database: Database },
  keys: HashIndex,
  phoneKeys: PhoneKeys,
  { count }: LeadRows,
) {
  const latest: Statement<{ seq: number }, []> = database.prepare("SELECT coalesce(max(seq), 0) AS seq FROM leads");
  const insert = database.prepare(insertPackedSql);
  const insertTags = new RowInserter(database, "INSERT OR IGNORE INTO lead_tags (owner, tag, lead)", 3);
  const insertCreated = database.prepare(
    "INSERT OR REPLACE INTO lead_import_created (job_id, row, lead, leads, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  return { latest, insert, insertTags, insertCreated, keys, phoneKeys, count };
}
