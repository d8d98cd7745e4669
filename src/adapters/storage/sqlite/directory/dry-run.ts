import { Database } from "bun:sqlite";
import {
  settleBatch,
  type DirectoryRecords,
  type Settled,
} from "../../../../features/prospecting/directory-decisions.ts";
import type { Keys, ProspectBatch } from "../../../../features/prospecting/directory-model.ts";
import { isPersonKey, keysOfRecord } from "../../../../features/prospecting/keys.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import type { StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import { createProspectCompanies } from "./prospect-companies.ts";

/** `n`: in the order in which the run has recorded them; `number`: of those that are stored. */
type Row = { n: number; number: number | null; content: string; is_gone: number };
/** What the run would find in the directory. */
type Below = Pick<DirectoryRecords, "candidates" | "findCompany">;

// An attached database without a name: SQLite keeps it in memory while it is small, otherwise in an unnamed file that
// disappears with the process. Commits do not wait for it, and a crash leaves nothing behind.
const scratch = `
  ATTACH '' AS scratch;
  PRAGMA scratch.journal_mode = OFF;
  PRAGMA scratch.cache_size = -8192;
  CREATE TABLE scratch.people (n INTEGER PRIMARY KEY, number INTEGER UNIQUE, content TEXT NOT NULL, is_gone INTEGER NOT NULL) STRICT;
  CREATE TABLE scratch.people_keys (key INTEGER, n INTEGER, PRIMARY KEY (key, n)) STRICT, WITHOUT ROWID;
  CREATE TABLE scratch.prospect_companies (
    owner INTEGER, key TEXT, name_key TEXT, content TEXT, created_at INTEGER, updated_at INTEGER, PRIMARY KEY (owner, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX scratch.prospect_companies_by_name ON prospect_companies (owner, name_key);`;

/**
 * Simulates an import row by row. Records what it would store or change in a separate database, and only reads the
 * directory.
 */
export class DryRun {
  readonly #database = new Database(":memory:", { strict: true });
  readonly #byKey;
  readonly #byNumber;
  readonly #byN;
  readonly #insert;
  readonly #update;
  readonly #insertKey;

  constructor() {
    this.#database.run(scratch);
    this.#byKey = this.#database.prepare<Row, [number]>(
      "SELECT people.* FROM people_keys JOIN people USING (n) WHERE key = ? AND NOT is_gone ORDER BY n LIMIT 8",
    );
    this.#byNumber = this.#database.prepare<Row, [number]>("SELECT * FROM people WHERE number = ?");
    this.#byN = this.#database.prepare<Row, [number]>("SELECT * FROM people WHERE n = ?");
    this.#insert = this.#database.prepare<{ n: number }, [number | null, string, boolean]>(
      "INSERT INTO people (number, content, is_gone) VALUES (?, ?, ?) RETURNING n",
    );
    this.#update = this.#database.prepare("UPDATE people SET content = ?, is_gone = ? WHERE n = ?");
    this.#insertKey = this.#database.prepare("INSERT OR IGNORE INTO people_keys (key, n) VALUES (?, ?)");
  }

  /** The outcome of each row of the batch. Nothing is recorded if `below` or `check`, which runs at the end, throws. */
  settle(batch: ProspectBatch, below: Below, check: () => void = () => {}): Settled[] {
    return this.#database.transaction(() => {
      const settled = settleBatch(this.#records(below), batch);
      check();
      return settled.map(({ outcome, number }) => ({
        outcome,
        number: number === null || isNewcomer(number) ? null : number,
      }));
    })();
  }

  close(): void {
    this.#database.close();
  }

  #records(below: Below): DirectoryRecords {
    const companies = createProspectCompanies(this.#database, (_owner, domain, name) =>
      below.findCompany(domain, name),
    );
    return {
      candidates: (key, except) => this.#candidates(key, below, except),
      isHinted: () => true,
      get: (number) => this.#recorded(number),
      insert: (json, keys) => this.#add(typeof json === "string" ? json : decoder.decode(json), keys),
      update: ({ number }, content, json) => this.#note(number, json, keysOfRecord(content), false),
      unite: (_kept, { number, json }) => this.#note(number, json, [], true),
      hasCompanies: () => true,
      findCompany: (domain, name) => companies.find(theOwner, domain, name),
      companyOf: (employer) => companies.ofEmployer(theOwner, employer),
      putCompany: (content, at, mayUpdate) => companies.put(theOwner, content, at, mayUpdate),
    };
  }

  *#candidates(key: number, below: Below, except: number | null): Generator<StoredProspect, void, void> {
    for (const stored of below.candidates(key, except)) {
      const changed = this.#byNumber.get(stored.number);
      if (changed === null) yield stored;
      else if (!changed.is_gone) yield personOf(changed);
    }
    for (const row of this.#byKey.all(key)) if (numberIn(row) !== except) yield personOf(row);
  }

  #recorded(number: number): StoredProspect | null {
    const row = isNewcomer(number) ? this.#byN.get(number - newcomers) : this.#byNumber.get(number);
    return row === null || row.is_gone ? null : personOf(row);
  }

  #add(json: string, keys: Keys): number {
    const { n } = this.#insert.get(null, json, false)!;
    this.#addKeys(n, keys);
    return newcomers + n;
  }

  #note(number: number, json: string, keys: Keys, isGone: boolean): void {
    const known = isNewcomer(number) ? number - newcomers : this.#byNumber.get(number)?.n;
    if (known !== undefined) this.#update.run(json, isGone, known);
    this.#addKeys(known ?? this.#insert.get(number, json, isGone)!.n, keys);
  }

  #addKeys(n: number, keys: Keys): void {
    for (let at = 0; at < keys.length; at++) if (isPersonKey(keys[at]!)) this.#insertKey.run(keys[at]!, n);
  }
}

/** The scratch database has one directory. */
const theOwner = 0;
/** People whom the run has created are numbered above all others, which have 32 bits: they are newer. */
const newcomers = 2 ** 32;

function isNewcomer(number: number): boolean {
  return number >= newcomers;
}

function numberIn({ n, number }: Row): number {
  return number ?? newcomers + n;
}

/** Recorded by the run, so newer than what is stored. */
function personOf(row: Row): StoredProspect {
  const content = JSON.parse(row.content) as ProspectContent;
  const dates = { createdAt: Number.POSITIVE_INFINITY, updatedAt: Number.POSITIVE_INFINITY };
  return { number: numberIn(row), content, json: row.content, leadId: null, ...dates };
}

const decoder = new TextDecoder();
