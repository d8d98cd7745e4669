import { Database } from "bun:sqlite";
import { isPersonKey, keysOfRecord, prospectIdentity } from "../../../../features/prospecting/keys.ts";
import type { Employer } from "../../../../features/prospecting/employer.ts";
import { unitedContent } from "../../../../features/prospecting/same-person.ts";
import { updatedProspect, withCompanyFacts } from "../../../../features/prospecting/merge.ts";
import type { CompanyContent, ProspectContent, ProspectOutcome } from "../../../../features/prospecting/model.ts";
import type { ProspectBatch, ProspectRow } from "../../../../features/prospecting/store.ts";
import { createProspectCompanies, type ProspectCompanies } from "./prospect-companies.ts";
import { contentIn, samePerson, type Hints, type ProspectRows, type SamePerson } from "./prospect-rows.ts";

/** A person as they would be stored: `n` is set once the run has recorded them, `number` if they are already stored. */
type Person = { n: number | null; number: number | null; content: ProspectContent; updatedAt: number };
type Row = { n: number; number: number | null; content: string; is_gone: number };

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

/** The outcome of a row, and the number of the prospect, if there is one. */
export type Settled = {
  outcome: "created" | ProspectOutcome;
  number: number | null;
  /** Created, with exactly the content of the row. */
  isAsSent?: boolean;
};

/** Simulates an import row by row. Records what it would store or change in a separate database, and only reads the directory. */
export class DryRun {
  readonly #owner: number;
  readonly #stored: ProspectRows;
  readonly #companies: ProspectCompanies;
  readonly #database = new Database(":memory:", { strict: true });
  readonly #byKey;
  readonly #byNumber;
  readonly #insert;
  readonly #update;
  readonly #insertKey;

  constructor(owner: number, stored: ProspectRows, companies: ProspectCompanies) {
    this.#owner = owner;
    this.#stored = stored;
    this.#database.run(scratch);
    this.#companies = createProspectCompanies(this.#database, companies.find);
    this.#byKey = this.#database.prepare<Row, [number]>(
      "SELECT people.* FROM people_keys JOIN people USING (n) WHERE key = ? AND NOT is_gone ORDER BY n LIMIT 8",
    );
    this.#byNumber = this.#database.prepare<Row, [number]>("SELECT * FROM people WHERE number = ?");
    this.#insert = this.#database.prepare<{ n: number }, [number | null, string, boolean]>(
      "INSERT INTO people (number, content, is_gone) VALUES (?, ?, ?) RETURNING n",
    );
    this.#update = this.#database.prepare("UPDATE people SET content = ?, is_gone = ? WHERE n = ?");
    this.#insertKey = this.#database.prepare("INSERT OR IGNORE INTO people_keys (key, n) VALUES (?, ?)");
  }

  /** The outcome of each row of the batch. */
  settle(batch: ProspectBatch, hints: Hints): Settled[] {
    return this.#database.transaction(() => batch.rows.map((row) => this.#settleRow(batch, row, hints)))();
  }

  close(): void {
    this.#database.close();
  }

  #settleRow(batch: ProspectBatch, row: ProspectRow, hints: Hints): Settled {
    if ("errors" in row) return { outcome: "failed", number: null };
    const isUpdate = batch.onDuplicate === "update";
    if (row.kind === "company") {
      const company = contentIn<CompanyContent>(row);
      return { outcome: this.#companies.put(this.#owner, company, batch.at, isUpdate), number: null };
    }
    const content = contentIn<ProspectContent>(row);
    const identity = prospectIdentity(content);
    const companyOf = (employer: Employer) => this.#companies.ofEmployer(this.#owner, employer);
    const same = samePerson<Person>({ content, identity }, (key, except) => this.#candidates(key, hints, except));
    if (same === null) {
      const complete = withCompanyFacts(content, companyOf(content));
      this.#note({ n: null, number: null, content: complete });
      return { outcome: "created", number: null };
    }
    const [kept, gone] = inOrder(same);
    const skipped: Settled = { outcome: "skipped", number: same.person.number };
    if (!isUpdate) return skipped;
    const merged = updatedProspect(gone === null ? kept.content : unitedContent(kept, gone), content, companyOf);
    if (gone === null && JSON.stringify(merged) === JSON.stringify(kept.content)) return skipped;
    if (gone !== null) this.#note(gone, true);
    this.#note({ ...kept, content: merged });
    return { outcome: "updated", number: kept.number };
  }

  *#candidates(key: number, hints: Hints, except: Person | null): Generator<Person, void, void> {
    for (const stored of this.#stored.candidates(this.#owner, key, hints, except?.number)) {
      const changed = this.#byNumber.get(stored.number);
      if (changed === null) yield { ...stored, n: null };
      else if (!changed.is_gone) yield personOf(changed);
    }
    for (const row of this.#byKey.all(key)) if (row.n !== except?.n) yield personOf(row);
  }

  #note({ n: known, number, content }: Omit<Person, "updatedAt">, isGone = false): void {
    const json = JSON.stringify(content);
    const n = known ?? this.#insert.get(number, json, isGone)!.n;
    if (known !== null) this.#update.run(json, isGone, known);
    for (const key of keysOfRecord(content)) if (isPersonKey(key)) this.#insertKey.run(key, n);
  }
}

/** The remaining record, which is the older one, and the one that is merged into it. */
function inOrder({ person, other }: SamePerson<Person>): [Person, Person | null] {
  if (other === null) return [person, null];
  const place = ({ number, n }: Person) => number ?? newcomers + n!;
  return place(person) < place(other) ? [person, other] : [other, person];
}

/** Above all numbers, which have 32 bits. */
const newcomers = 2 ** 32;

/** Recorded by the run, so newer than what is stored. */
function personOf({ n, number, content }: Row): Person {
  return { n, number, content: JSON.parse(content) as ProspectContent, updatedAt: Number.POSITIVE_INFINITY };
}
