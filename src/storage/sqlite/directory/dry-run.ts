import { Database } from "bun:sqlite";
import { personKeys, prospectIdentity } from "../../../prospecting/keys.ts";
import { updatedProspect, withCompanyFacts } from "../../../prospecting/merge.ts";
import type { CompanyContent, ProspectContent } from "../../../prospecting/model.ts";
import type { ProspectBatch, ProspectRow } from "../../../prospecting/store.ts";
import { createProspectCompanies, type ProspectCompanies } from "./prospect-companies.ts";
import type { Settled } from "./prospect-imports.ts";
import { contentIn, samePerson, type Hints, type ProspectRows } from "./prospect-rows.ts";

/** A person as it would be stored: `n` once the run has noted it, `number` if it is a prospect already. */
type Person = { n: number | null; number: number | null; content: ProspectContent };
type Row = { n: number; number: number | null; content: string };

// An attached database without a name: SQLite keeps it in memory while it is small, else in a file that has no name
// either and goes with the process. Nobody waits for it, and no crash leaves anything of it.
const scratch = `
  ATTACH '' AS scratch;
  PRAGMA scratch.journal_mode = OFF;
  PRAGMA scratch.cache_size = -8192;
  CREATE TABLE scratch.people (n INTEGER PRIMARY KEY, number INTEGER UNIQUE, content TEXT NOT NULL) STRICT;
  CREATE TABLE scratch.people_keys (key INTEGER, n INTEGER, PRIMARY KEY (key, n)) STRICT, WITHOUT ROWID;
  CREATE TABLE scratch.prospect_companies (
    owner INTEGER, key TEXT, name_key TEXT, content TEXT, created_at INTEGER, updated_at INTEGER, PRIMARY KEY (owner, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX scratch.prospect_companies_by_name ON prospect_companies (owner, name_key);`;

/** Foretells an import row by row: whom it would store or change is noted beside the directory, which is only read. */
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
      "SELECT n, number, content FROM people_keys JOIN people USING (n) WHERE key = ? ORDER BY n LIMIT 8",
    );
    this.#byNumber = this.#database.prepare<Row, [number]>("SELECT n, number, content FROM people WHERE number = ?");
    this.#insert = this.#database.prepare<{ n: number }, [number | null, string]>(
      "INSERT INTO people (number, content) VALUES (?, ?) RETURNING n",
    );
    this.#update = this.#database.prepare("UPDATE people SET content = ? WHERE n = ?");
    this.#insertKey = this.#database.prepare("INSERT OR IGNORE INTO people_keys (key, n) VALUES (?, ?)");
  }

  /** What each row of the batch would come to. */
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
    const same = samePerson(identity, (key) => this.#candidates(key, hints));
    if (same === null) {
      const complete = withCompanyFacts(content, this.#companies.ofEmployer(this.#owner, content));
      this.#note({ n: null, number: null, content: complete });
      return { outcome: "created", number: null };
    }
    const merged = updatedProspect(same.content, content, (employer) =>
      this.#companies.ofEmployer(this.#owner, employer),
    );
    if (!isUpdate || JSON.stringify(merged) === JSON.stringify(same.content))
      return { outcome: "skipped", number: same.number };
    this.#note({ ...same, content: merged });
    return { outcome: "updated", number: same.number };
  }

  *#candidates(key: number, hints: Hints): Generator<Person, void, void> {
    for (const { number, content } of this.#stored.candidates(this.#owner, key, hints)) {
      const changed = this.#byNumber.get(number);
      yield changed === null ? { n: null, number, content } : personOf(changed);
    }
    for (const row of this.#byKey.all(key)) yield personOf(row);
  }

  #note({ n: known, number, content }: Person): void {
    const json = JSON.stringify(content);
    const n = known ?? this.#insert.get(number, json)!.n;
    if (known !== null) this.#update.run(json, known);
    for (const key of personKeys(prospectIdentity(content))) this.#insertKey.run(key, n);
  }
}

function personOf({ content, ...row }: Row): Person {
  return { ...row, content: JSON.parse(content) as ProspectContent };
}
