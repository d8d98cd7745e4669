import { CompanyNews } from "./company-news.ts";
import type { KnownCompany } from "./companies.ts";
import type { Keys, NewProspect, ProspectBatch, ProspectImportCounts, ProspectRow } from "./directory-model.ts";
import type { Employer } from "./employer.ts";
import { besideNameOf, isPersonKey, prospectIdentity, prospectKeys } from "./keys.ts";
import { updatedProspect, withCompanyFacts } from "./merge.ts";
import type { CompanyContent, ProspectContent, ProspectOutcome } from "./model.ts";
import { samePerson, unitedContent, type SamePerson } from "./same-person.ts";
import { contentIn, type StoredProspect } from "./stored-prospect.ts";

// What becomes of people and companies that are stored in a directory. Each one depends on those before it, so a decision
// reads and changes the records of the directory as it goes; an engine may stage the changes and write them at the end.

/** At most this many people with the same name and company are compared. An email address or a profile has one person. */
export const maxNamesakes = 8;

/** The records of one directory during one unit of work. */
export type DirectoryRecords = {
  /** People who may have a key, at most `maxNamesakes`, except the one with a certain number. */
  candidates(key: number, except: number | null): Iterable<StoredProspect>;
  /** Whether anyone may be the same person as one with these keys; `beside`: see `besideName`. */
  isHinted(keys: Keys, beside: number): boolean;
  get(number: number): StoredProspect | null;
  /** `json`: text or UTF-8; `beside`: see `besideName`. Returns the number. */
  insert(json: string | Uint8Array, keys: Keys, beside: number, at: number): number;
  /** `json`: that of the content, which differs from the stored one. */
  update(before: StoredProspect, content: ProspectContent, json: string, at: number): void;
  /** Moves what belongs to one record to the other, namely its lead, what was paid for it, and its IDs, and removes it. */
  unite(kept: StoredProspect, gone: StoredProspect): void;
  hasCompanies(): boolean;
  findCompany(domain: string | null, name: string | null): KnownCompany | null;
  companyOf(employer: Employer): CompanyContent | null;
  putCompany(content: CompanyContent, at: number, mayUpdate: boolean): CompanyOutcome;
};

export type CompanyOutcome = "created" | "updated" | "skipped";

/** The outcome of a row, and the number of the prospect, if there is one. */
export type Settled = {
  outcome: "created" | ProspectOutcome;
  number: number | null;
  /** Created, with exactly the content of the row. */
  isAsSent?: boolean;
};

type Sent = Extract<ProspectRow, { kind: string }>;
type BatchOptions = Pick<ProspectBatch, "onDuplicate" | "at">;

/** Stores one result of a live source, merging it with an existing prospect. Returns its number. */
export function putPerson(directory: DirectoryRecords, told: NewProspect, at: number): number {
  const { content } = told;
  const same = findSame(directory, told);
  if (same !== null) return updateSame(directory, same, content, at).number;
  return insertContent(directory, withCompanyFacts(content, directory.companyOf(content)), at);
}

/** Stores the rows of a batch, one after the other. A dry run does not pass company details on to people. */
export function settleBatch(
  directory: DirectoryRecords,
  batch: Pick<ProspectBatch, "rows" | "onDuplicate" | "at" | "dryRun">,
): Settled[] {
  const ofBatch = !batch.dryRun && isMixed(batch.rows) ? new Map<number, number[]>() : null;
  const hasCompanies = ofBatch !== null || directory.hasCompanies();
  return batch.rows.map((row) => {
    if ("errors" in row) return { outcome: "failed", number: null };
    const settled =
      row.kind === "company"
        ? settleCompany(directory, row, batch, ofBatch)
        : settlePerson(directory, row, batch, hasCompanies);
    if (ofBatch !== null) noteCompany(directory, settled, ofBatch);
    return settled;
  });
}

/** What the companies of a batch tell their people. */
export function newsOf(
  findCompany: DirectoryRecords["findCompany"],
  { rows, onDuplicate }: Pick<ProspectBatch, "rows" | "onDuplicate">,
): CompanyNews {
  const news = new CompanyNews(onDuplicate === "update");
  for (const row of rows) {
    if (!("kind" in row) || row.kind !== "company") continue;
    const content = contentIn<CompanyContent>(row);
    news.add(content, knownContent(findCompany, content));
  }
  return news;
}

/** Updates people with what a file says about their companies. */
export function tellPeople(
  directory: DirectoryRecords,
  numbers: Iterable<number>,
  news: CompanyNews,
  at: number,
): void {
  for (const number of numbers) {
    const person = directory.get(number);
    if (person !== null) updateContent(directory, person, news.applyTo(person.content), at);
  }
}

/** A row that did not become a new prospect. */
export type ReportLine = { row: number; outcome: ProspectOutcome; number: number | null; errors: Failed["errors"] };
type Failed = Extract<ProspectRow, { errors: unknown }>;

/** The counts of an import after a batch, and the lines of its report. */
export function reportOf(
  before: ProspectImportCounts,
  rows: readonly ProspectRow[],
  settled: readonly Settled[],
): { counts: ProspectImportCounts; lines: ReportLine[] } {
  const counts = { ...before };
  const lines: ReportLine[] = [];
  for (const [place, row] of rows.entries()) {
    const { outcome, number } = settled[place]!;
    counts.rows++;
    counts[outcome]++;
    if ("kind" in row && row.kind === "company") counts.companies++;
    if (outcome !== "created") lines.push({ row: row.row, outcome, number, errors: "errors" in row ? row.errors : [] });
  }
  return { counts, lines };
}

export const noCounts: ProspectImportCounts = {
  ...{ rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, companies: 0 },
};

/** The counts in the metadata of a job. */
export function countsIn(metadata: Readonly<Record<string, unknown>>): ProspectImportCounts {
  const count = (name: keyof ProspectImportCounts) => (typeof metadata[name] === "number" ? metadata[name] : 0);
  return {
    rows: count("rows"),
    created: count("created"),
    updated: count("updated"),
    skipped: count("skipped"),
    failed: count("failed"),
    companies: count("companies"),
  };
}

/** How the job of an import changes with a batch. */
export function importProgress(
  metadata: Readonly<Record<string, unknown>>,
  counts: ProspectImportCounts,
  { lastRow, progress, leaseUntil, at }: Pick<ProspectBatch, "lastRow" | "progress" | "leaseUntil" | "at">,
) {
  const message = `${counts.rows} rows read`;
  return { metadata: { ...metadata, ...counts, lastRow }, progress, message, leaseUntil, updatedAt: at };
}

function settlePerson(
  directory: DirectoryRecords,
  row: Sent,
  { onDuplicate, at }: BatchOptions,
  hasCompanies: boolean,
): Settled {
  // Nearly every row of a large file: the person is new, and the text is stored unchanged.
  if (!hasCompanies && !directory.isHinted(row.keys, row.beside)) return created(directory, row, at);
  const content = contentIn<ProspectContent>(row);
  const same = findSame(directory, { content, identity: prospectIdentity(content) });
  if (same !== null) {
    if (onDuplicate === "skip") {
      for (const each of [same.person, same.other]) if (each !== null) claimPerson(directory, each, at);
      return { outcome: "skipped", number: same.person.number };
    }
    const { number, isNews } = updateSame(directory, same, content, at);
    return { outcome: isNews ? "updated" : "skipped", number };
  }
  const complete = withCompanyFacts(content, directory.companyOf(content));
  if (complete === content) return created(directory, row, at);
  return { outcome: "created", number: insertContent(directory, complete, at) };
}

/** An import makes a vendor's person the workspace's own, even if it leaves the record unchanged otherwise. */
function claimPerson(directory: DirectoryRecords, person: StoredProspect, at: number): void {
  const { isFromVendor, ...content } = person.content;
  if (isFromVendor) updateContent(directory, person, content, at);
}

function created(directory: DirectoryRecords, { content, keys, beside }: Sent, at: number): Settled {
  return { outcome: "created", number: directory.insert(content, keys, beside, at), isAsSent: true };
}

/** `ofBatch`: see `noteCompany`. */
function settleCompany(
  directory: DirectoryRecords,
  row: Sent,
  { onDuplicate, at }: BatchOptions,
  ofBatch: ReadonlyMap<number, readonly number[]> | null,
): Settled {
  const content = contentIn<CompanyContent>(row);
  const mayUpdate = onDuplicate === "update";
  if (ofBatch !== null) {
    const news = new CompanyNews(mayUpdate);
    news.add(content, knownContent(directory.findCompany, content));
    tellPeople(directory, new Set(news.keys.flatMap((key) => ofBatch.get(key) ?? [])), news, at);
  }
  return { outcome: directory.putCompany(content, at, mayUpdate), number: null };
}

/** For a batch with people and companies: the people to update with a company that comes later in the batch, by its keys. */
function noteCompany(directory: DirectoryRecords, { outcome, number }: Settled, ofBatch: Map<number, number[]>): void {
  if (number === null || outcome === "skipped") return;
  for (const key of prospectKeys(prospectIdentity(directory.get(number)!.content)))
    if (!isPersonKey(key)) ofBatch.set(key, [...(ofBatch.get(key) ?? []), number]);
}

function findSame(directory: DirectoryRecords, told: NewProspect): SamePerson<StoredProspect> | null {
  return samePerson(told, (key, except) => directory.candidates(key, except?.number ?? null));
}

/**
 * Updates a stored person. Two records that turn out to be the same person are merged, under the number of the first.
 * Returns the number, and whether anything changed.
 */
function updateSame(
  directory: DirectoryRecords,
  { person, other }: SamePerson<StoredProspect>,
  told: ProspectContent,
  at: number,
): { number: number; isNews: boolean } {
  const { number } = person;
  const companyOf = (employer: Employer) => directory.companyOf(employer);
  if (other === null) {
    const isNews = updateContent(directory, person, updatedProspect(person.content, told, companyOf), at);
    return { number, isNews };
  }
  const [kept, gone] = number < other.number ? [person, other] : [other, person];
  updateContent(directory, kept, updatedProspect(unitedContent(kept, gone), told, companyOf), at);
  directory.unite(kept, gone);
  return { number: kept.number, isNews: true };
}

/** False if nothing changes. */
function updateContent(
  directory: DirectoryRecords,
  before: StoredProspect,
  content: ProspectContent,
  at: number,
): boolean {
  const json = JSON.stringify(content);
  if (json === before.json) return false;
  directory.update(before, content, json, at);
  return true;
}

/** For content without JSON and keys. */
function insertContent(directory: DirectoryRecords, content: ProspectContent, at: number): number {
  const identity = prospectIdentity(content);
  return directory.insert(JSON.stringify(content), prospectKeys(identity), besideNameOf(identity), at);
}

function knownContent(
  findCompany: DirectoryRecords["findCompany"],
  { domain, company }: CompanyContent,
): CompanyContent | null {
  return findCompany(domain ?? null, company ?? null)?.content ?? null;
}

function isMixed(rows: readonly ProspectRow[]): boolean {
  const isCompany = (row: ProspectRow) => "kind" in row && row.kind === "company";
  return rows.some(isCompany) && rows.some((row) => !isCompany(row));
}
