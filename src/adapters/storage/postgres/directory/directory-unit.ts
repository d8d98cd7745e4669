import { and, eq, inArray, sql } from "drizzle-orm";
import { maxNamesakes, type DirectoryRecords } from "../../../../features/prospecting/directory-decisions.ts";
import type { Keys } from "../../../../features/prospecting/directory-model.ts";
import { changedTerms } from "../../../../features/prospecting/facets/terms.ts";
import { addedKeys, isPersonKey, keysOfRecord } from "../../../../features/prospecting/keys.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { addAskedKeys, indexedKey, personKeysIn } from "../../../../features/prospecting/name-keys.ts";
import type { StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import { inSlices } from "../../../../lib/concurrency/slices.ts";
import type { Connection } from "../engine.ts";
import { decideLoaded, loadAll, Loaded, type FactSource } from "../loaded.ts";
import { LoadedCompanies, StagedCompanies } from "./company-facts.ts";
import { lockDirectory, type DirectoryRow } from "./directory-row.ts";
import { insertKeys } from "./index-fold.ts";
import { listOf, loadProspects, numbersByKeys } from "./rows.ts";
import { aliases, changes, directories, prospectKeys, prospects, reveals } from "./tables.ts";
import { TermChanges } from "./term-changes.ts";
import { TermReader } from "./term-reader.ts";

/** Prospects of a directory, loaded as decisions ask for them. */
export class LoadedProspects implements FactSource {
  readonly #numbers: Loaded<number, readonly number[]>;
  readonly #rows: Loaded<number, StoredProspect | null>;

  constructor(connection: Connection, owner: number) {
    this.#numbers = new Loaded({
      provisional: [],
      nameOf: Number,
      fetch: async (keys) => {
        const found = await numbersByKeys(connection, owner, keys, maxNamesakes);
        for (const number of new Set([...found.values()].flat())) this.#rows.want(number);
        return found;
      },
    });
    this.#rows = new Loaded({
      provisional: null,
      nameOf: Number,
      fetch: (numbers) => loadProspects(connection, owner, numbers),
    });
  }

  /** Decisions will ask for the people with these keys; `beside`: see `besideName`. */
  expectPerson(keys: Keys, beside: number): void {
    const asked: number[] = [];
    addAskedKeys(keys, beside, asked);
    for (const key of asked) this.#numbers.want(key);
  }

  expect(numbers: Iterable<number>): void {
    for (const number of numbers) this.#rows.want(number);
  }

  numbersOf(key: number): readonly number[] {
    return this.#numbers.get(key);
  }

  get(number: number): StoredProspect | null {
    return this.#rows.get(number);
  }

  get isMissing(): boolean {
    return this.#numbers.isMissing || this.#rows.isMissing;
  }

  /** As they are stored; see `DirectoryRecords`. */
  readonly candidates = (key: number, except: number | null): StoredProspect[] =>
    this.numbersOf(key).flatMap((number) => (number === except ? [] : (this.get(number) ?? [])));

  load(): Promise<boolean> {
    return loadAll([this.#numbers, this.#rows]);
  }
}

/** What one transaction reads and changes in a directory, which it has locked. */
export class DirectoryUnit {
  readonly directory: DirectoryRow;
  readonly prospects: LoadedProspects;
  readonly companies: LoadedCompanies;
  readonly #connection: Connection;
  #stage: Stage;

  static async open(connection: Connection, owner: number): Promise<DirectoryUnit> {
    const directory = await lockDirectory(connection, owner);
    return new DirectoryUnit(connection, directory, await LoadedCompanies.open(connection, owner));
  }

  private constructor(connection: Connection, directory: DirectoryRow, companies: LoadedCompanies) {
    this.#connection = connection;
    this.directory = directory;
    this.companies = companies;
    this.prospects = new LoadedProspects(connection, directory.owner);
    this.#stage = new Stage(this.prospects, this.companies, directory.nextNumber);
  }

  /** Runs a decision until all of its facts are loaded. Only the changes of the last run are kept. */
  decide<T>(decide: (stage: Stage) => T): Promise<T> {
    const anew = () => {
      this.#stage = new Stage(this.prospects, this.companies, this.directory.nextNumber);
      return decide(this.#stage);
    };
    return decideLoaded(anew, this.prospects, this.companies);
  }

  /** Writes what was decided. Returns how many prospects wait for the next fold. */
  async write(): Promise<number> {
    const { owner, nextNumber, lastChange, unfolded } = this.directory;
    const stage = this.#stage;
    await this.#writeRows(owner, stage);
    await stage.companies.write(this.#connection, owner);
    const terms = await this.#termChanges(stage);
    const n = lastChange + 1;
    if (terms.size > 0) await this.#connection.insert(changes).values({ owner, n, terms: terms.encode() });
    else if (stage.next === nextNumber) return unfolded;
    await this.#connection
      .update(directories)
      .set({ nextNumber: stage.next, ...(terms.size > 0 && { lastChange: n, unfolded: unfolded + terms.size }) })
      .where(eq(directories.owner, owner));
    return unfolded + terms.size;
  }

  async #writeRows(owner: number, stage: Stage): Promise<void> {
    const connection = this.#connection;
    const rows = [...stage.rows.values()].filter(({ now }) => now !== null);
    await this.#insert(rows.filter(({ before }) => before === null).map(({ now }) => now!));
    await this.#update(
      rows.filter(({ before, now }) => before !== null && before.json !== now!.json).map(({ now }) => now!),
    );
    for (const { before, now } of rows)
      if (now!.leadId !== null && now!.leadId !== (before?.leadId ?? null))
        await connection
          .update(prospects)
          .set({ leadId: now!.leadId })
          .where(and(eq(prospects.owner, owner), eq(prospects.number, now!.number)));
    for (const { kept, gone } of stage.united) await unite(connection, owner, kept, gone);
    await this.#remove(
      [...stage.rows.values()].flatMap(({ before, now }) => (before !== null && now === null ? [before] : [])),
    );
    await insertKeys(connection, owner, stage.keys);
  }

  /** The content goes as one JSON list, whose elements keep the text that they have. */
  async #insert(rows: readonly StoredProspect[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#connection.execute(sql`
      INSERT INTO ${prospects} (owner, number, content, created_at, updated_at)
      SELECT ${this.directory.owner}::bigint, number::bigint, content::text, at::bigint, at::bigint FROM ${listed(rows)}`);
  }

  async #update(rows: readonly StoredProspect[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#connection.execute(sql`
      UPDATE ${prospects} SET content = told.content::text, updated_at = told.at::bigint FROM ${listed(rows)}
      WHERE ${prospects.owner} = ${this.directory.owner} AND ${prospects.number} = told.number::bigint`);
  }

  async #remove(rows: readonly StoredProspect[]): Promise<void> {
    if (rows.length === 0) return;
    const { owner } = this.directory;
    const numbers = listOf(rows.map(({ number }) => number));
    const connection = this.#connection;
    await connection.delete(prospects).where(and(eq(prospects.owner, owner), sql`${prospects.number} IN ${numbers}`));
    await connection.delete(aliases).where(and(eq(aliases.owner, owner), sql`${aliases.intoNumber} IN ${numbers}`));
    const keys = listOf(rows.flatMap(({ content }) => keysOfRecord(content)));
    await connection
      .delete(prospectKeys)
      .where(
        and(
          eq(prospectKeys.owner, owner),
          sql`${prospectKeys.key} IN ${keys}`,
          sql`${prospectKeys.number} IN ${numbers}`,
        ),
      );
  }

  async #termChanges(stage: Stage): Promise<TermChanges> {
    const terms = new TermChanges();
    await inSlices(noteTerms(terms, stage));
    return terms;
  }
}

/** Terms are derived here, with the directory locked, but not in one piece. */
function* noteTerms(noted: TermChanges, stage: Stage): Generator<void, void, void> {
  for (const [number, { before, now }] of stage.rows) {
    if (before === null && now !== null)
      noted.note(number, { removed: [], added: TermReader.shared.termsOf(now.content) });
    else if (before !== null && now === null)
      noted.note(number, { removed: TermReader.shared.termsOf(before.content), added: [] });
    else if (before !== null && now !== null && before.json !== now.json)
      noted.note(number, changedTerms(before.content, now.content));
    yield;
  }
}

/** Moves what was paid for one record, and the IDs that lead to it, to the other. */
async function unite(connection: Connection, owner: number, kept: number, gone: number): Promise<void> {
  const paid = connection
    .select({ owner: reveals.owner, number: sql`${kept}::bigint`.as("number"), at: reveals.at })
    .from(reveals)
    .where(and(eq(reveals.owner, owner), eq(reveals.number, gone)));
  await connection
    .insert(reveals)
    .select(paid)
    .onConflictDoUpdate({
      target: [reveals.owner, reveals.number],
      set: { at: sql`greatest(${reveals.at}, excluded.at)` },
    });
  await connection
    .update(aliases)
    .set({ intoNumber: kept })
    .where(and(eq(aliases.owner, owner), inArray(aliases.intoNumber, [gone])));
  await connection.insert(aliases).values({ owner, number: gone, intoNumber: kept }).onConflictDoNothing();
}

function listed(rows: readonly StoredProspect[]) {
  return sql`ROWS FROM (
    json_array_elements_text(${JSON.stringify(rows.map(({ number }) => number))}::json),
    json_array_elements(${`[${rows.map(({ json }) => json).join(",")}]`}::json),
    json_array_elements_text(${JSON.stringify(rows.map(({ updatedAt }) => updatedAt))}::json)
  ) AS told (number, content, at)`;
}

type StagedRow = { before: StoredProspect | null; now: StoredProspect | null };

/** The records of a directory with the changes of one run of a decision. */
export class Stage {
  /** `before`: null if new; `now`: null if removed. */
  readonly rows = new Map<number, StagedRow>();
  readonly united: { kept: number; gone: number }[] = [];
  readonly keys: { key: number; number: number }[] = [];
  readonly companies: StagedCompanies;
  readonly #stored: LoadedProspects;
  readonly #byKey = new Map<number, number[]>();
  next: number;

  constructor(stored: LoadedProspects, companies: LoadedCompanies, next: number) {
    this.#stored = stored;
    this.companies = new StagedCompanies(companies);
    this.next = next;
  }

  get records(): DirectoryRecords {
    return {
      candidates: (key, except) => this.#candidates(key, except),
      isHinted: (keys, beside) => this.#isHinted(keys, beside),
      get: (number) => this.get(number),
      insert: (json, keys, beside, at) => this.#insert(json, keys, beside, at),
      update: (before, content, json, at) => this.#update(before, content, json, at),
      unite: (kept, gone) => this.#unite(kept, gone),
      ...this.companies.records,
    };
  }

  get(number: number): StoredProspect | null {
    const staged = this.rows.get(number);
    return staged === undefined ? this.#stored.get(number) : staged.now;
  }

  setLead(number: number, leadId: string): void {
    const known = this.get(number);
    if (known === null) return;
    const { content, json, createdAt, updatedAt } = known;
    this.#set({ number, content, json, leadId, createdAt, updatedAt });
  }

  remove(row: StoredProspect): void {
    this.rows.set(row.number, { before: this.#before(row.number), now: null });
  }

  /** Those of this unit first, because duplicates in a file are usually close together. */
  *#candidates(key: number, except: number | null): Generator<StoredProspect, void, void> {
    const numbers = [...(this.#byKey.get(key) ?? []).slice(-maxNamesakes), ...this.#stored.numbersOf(key)];
    for (const number of numbers.slice(0, maxNamesakes)) {
      const candidate = number === except ? null : this.get(number);
      if (candidate !== null) yield candidate;
    }
  }

  #isHinted(keys: Keys, beside: number): boolean {
    const asked: number[] = [];
    addAskedKeys(keys, beside, asked);
    // Each is asked for, so that all of them are loaded together.
    return asked.filter((key) => this.#stored.numbersOf(key).length > 0 || this.#byKey.has(key)).length > 0;
  }

  #insert(content: string | Uint8Array, keys: Keys, beside: number, at: number): number {
    const number = this.next++;
    const json = typeof content === "string" ? content : decoder.decode(content);
    const people = personKeysIn(keys);
    for (let place = 0; place < keys.length; place++)
      this.#addKey(indexedKey(keys[place]!, place, beside), number, place < people);
    this.rows.set(number, { before: null, now: new NewRow(number, json, at) });
    return number;
  }

  #update({ number, content: known }: StoredProspect, content: ProspectContent, json: string, updatedAt: number): void {
    for (const key of addedKeys(known, content)) this.#addKey(key, number, isPersonKey(key));
    const { leadId, createdAt } = this.get(number)!;
    this.#set({ number, content, json, leadId, createdAt, updatedAt });
  }

  #unite({ number }: StoredProspect, gone: StoredProspect): void {
    const kept = this.get(number)!;
    if (kept.leadId === null && gone.leadId !== null) this.setLead(number, gone.leadId);
    this.remove(gone);
    this.united.push({ kept: number, gone: gone.number });
  }

  #addKey(key: number, number: number, isOfPerson: boolean): void {
    this.keys.push({ key, number });
    if (!isOfPerson) return;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [number]);
    else known.push(number);
  }

  #set(now: StoredProspect): void {
    this.rows.set(now.number, { before: this.#before(now.number), now });
  }

  #before(number: number): StoredProspect | null {
    const staged = this.rows.get(number);
    return staged === undefined ? this.#stored.get(number) : staged.before;
  }
}

/** Content that is parsed when it is asked for, which for most rows of a file is not before their terms are derived. */
class NewRow implements StoredProspect {
  readonly leadId = null;
  #content: ProspectContent | null = null;

  constructor(
    readonly number: number,
    readonly json: string,
    readonly createdAt: number,
    readonly updatedAt = createdAt,
  ) {}

  get content(): ProspectContent {
    return (this.#content ??= JSON.parse(this.json) as ProspectContent);
  }
}

const decoder = new TextDecoder();
