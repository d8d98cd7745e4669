import type { Database } from "bun:sqlite";
import { changedTerms, termRules, termsOf } from "../../../../features/prospecting/facets/terms.ts";
import {
  addedKeys,
  besideNameOf,
  emailKey,
  isPersonKey,
  nameKey,
  personKeys,
  prospectIdentity,
  prospectKeys,
} from "../../../../features/prospecting/keys.ts";
import { canBeOne, namesakeIsSame } from "../../../../features/leads/same-person.ts";
import type { Employer } from "../../../../features/prospecting/employer.ts";
import { updatedProspect } from "../../../../features/prospecting/merge.ts";
import { isKnownBefore, unitedContent } from "../../../../features/prospecting/same-person.ts";
import type { CompanyContent, Prospect, ProspectContent } from "../../../../features/prospecting/model.ts";
import type { Keys, NewProspect } from "../../../../features/prospecting/store.ts";
import { maxNamesakes, seqOf } from "./index-messages.ts";
import { prospectId } from "./prospect-id.ts";
import { RecentKeys } from "../../../../lib/key-index/recent-keys.ts";
import { addAskedKeys, addAskedNames, indexedKey, personKeysIn } from "./name-keys.ts";
import { prepared } from "../prepared.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

export type StoredProspect = {
  number: number;
  content: ProspectContent;
  /** `content` as it is stored. */
  json: string;
  leadId: string | null;
  createdAt: number;
  updatedAt: number;
};
/** A stored person, and another record of the same person. */
export type SamePerson<T> = { person: T; other: T | null };
type Row = [seq: number, content: string, leadId: string | null, createdAt: number, updatedAt: number];
/** Numbers that may have a key, as of an earlier moment. */
export type Hints = (key: number) => readonly number[];

/** The prospects of all directories. Writes must be inside `unit`. */
export type ProspectRows = ReturnType<typeof createProspectRows>;

export function createProspectRows(database: Database) {
  // A deleted lead does not count. The row still names it, because a lead has no reference to its prospect.
  const bySeq = prepared<unknown, [number]>(
    database,
    `SELECT seq, content, (SELECT leads.id FROM leads WHERE leads.id = prospects.lead_id), created_at, updated_at
     FROM prospects WHERE seq = ?`,
  );
  // Search terms are derived from the content when the index needs them, because their rules may change.
  const insertRow = prepared(
    database,
    "INSERT INTO prospects (seq, content, keys, created_at, updated_at) VALUES (?, CAST(? AS TEXT), x'', ?, ?)",
  );
  const updateRow = prepared(database, "UPDATE prospects SET content = ?, updated_at = ? WHERE seq = ?");
  const removeRow = prepared(database, "DELETE FROM prospects WHERE seq = ?");
  const setLeadOf = prepared(database, "UPDATE prospects SET lead_id = ? WHERE seq = ?");
  const begin = prepared(database, "INSERT OR IGNORE INTO prospect_directories (owner, rules) VALUES (?, ?)");
  const nextOf = prepared<{ next_number: number }, [number]>(
    database,
    "SELECT next_number FROM prospect_directories WHERE owner = ?",
  );
  const rulesOf = prepared<{ rules: number }, [number]>(
    database,
    "SELECT rules FROM prospect_directories WHERE owner = ?",
  );
  const count = prepared(
    database,
    "UPDATE prospect_directories SET next_number = ?, prospects = prospects + ? WHERE owner = ?",
  );
  const insertChange = prepared(
    database,
    "INSERT INTO prospect_changes (owner, number, removed, added, keys) VALUES (?, ?, ?, ?, ?)",
  );
  const aliasOf = prepared<{ into_seq: number }, [number]>(
    database,
    "SELECT into_seq FROM prospect_aliases WHERE seq = ?",
  );
  const insertAlias = prepared(database, "INSERT INTO prospect_aliases (seq, into_seq) VALUES (?, ?)");
  const moveAliases = prepared(database, "UPDATE prospect_aliases SET into_seq = ? WHERE into_seq = ?");
  const dropAliases = prepared(database, "DELETE FROM prospect_aliases WHERE into_seq = ?");
  const aliases = prepared<{ seq: number }, [number]>(database, "SELECT seq FROM prospect_aliases WHERE into_seq = ?");
  const moveReveal = prepared(
    database,
    `INSERT INTO prospect_reveals (seq, at) SELECT ?1, at FROM prospect_reveals WHERE seq = ?2
     ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
  );
  const recents = new Map<number, RecentKeys>();
  /** What the current unit has stored: the directory, its next number, and by how much it grew. */
  let current: { owner: number; next: number; change: number } | null = null;

  function recent(owner: number): RecentKeys {
    let keys = recents.get(owner);
    if (keys === undefined) recents.set(owner, (keys = new RecentKeys()));
    return keys;
  }

  /** Runs the part of a write unit that concerns one directory, then stores its next number. */
  function unit<T>(owner: number, run: () => T): T {
    begin.run(owner, termRules);
    const first = next(owner);
    current = { owner, next: first, change: 0 };
    recent(owner).beginUnit();
    const result = run();
    if (current.next !== first || current.change !== 0) count.run(current.next, current.change, owner);
    current = null;
    return result;
  }

  /** The number of the next prospect. If it is 0, the directory is empty, and the index need not be asked. */
  function next(owner: number): number {
    return nextOf.get(owner)?.next_number ?? 0;
  }

  /** False while the directory was built by other rules; see `termRules`. */
  function isUpToDate(owner: number): boolean {
    return (rulesOf.get(owner)?.rules ?? termRules) === termRules;
  }

  function get(owner: number, number: number): StoredProspect | null {
    const [row] = bySeq.values(seqOf(owner, number)) as Row[];
    return row === undefined ? null : stored(row, number);
  }

  /** Like `get`, for a number from an earlier moment: the record may have been merged into another one. */
  function getKnown(owner: number, number: number): StoredProspect | null {
    const alias = aliasOf.get(seqOf(owner, number));
    return get(owner, alias === null ? number : alias.into_seq - seqOf(owner, 0));
  }

  /** Identifiers of the records that were merged into this one. */
  function formerSeqs(seq: number): number[] {
    return aliases.all(seq).map((alias) => alias.seq);
  }

  /** Like `insert`, for content without JSON and keys. */
  function insertContent(content: ProspectContent, at: number): number {
    const identity = prospectIdentity(content);
    return insert(JSON.stringify(content), prospectKeys(identity), besideNameOf(identity), at);
  }

  /** `json`: text or UTF-8; `beside`: see `besideName`. Returns the number. */
  function insert(json: string | Uint8Array, keys: Keys, beside: number, at: number): number {
    const { owner, next: number } = current!;
    current!.next++;
    current!.change++;
    insertRow.run(seqOf(owner, number), json, at, at);
    const known = recent(owner);
    const count = personKeysIn(keys);
    for (let place = 0; place < count; place++) known.add(indexedKey(keys[place]!, place, beside), number);
    return number;
  }

  /** False if nothing changes. */
  function update(before: StoredProspect, content: ProspectContent, at: number): boolean {
    const json = JSON.stringify(content);
    if (json === before.json) return false;
    const { owner } = current!;
    updateRow.run(json, at, seqOf(owner, before.number));
    const keys = addedKeys(before.content, content);
    for (const key of keys) if (isPersonKey(key)) recent(owner).add(key, before.number);
    noteChange(before.number, changedTerms(before.content, content), keys);
    return true;
  }

  /**
   * Updates a stored person. Two records that turn out to be the same person are merged, under the number of the first.
   * Returns the number, and whether anything changed.
   */
  function updateSame(
    { person, other }: SamePerson<StoredProspect>,
    told: ProspectContent,
    companyOf: (employer: Employer) => CompanyContent | null,
    at: number,
  ): { number: number; isNews: boolean } {
    const { number } = person;
    if (other === null) return { number, isNews: update(person, updatedProspect(person.content, told, companyOf), at) };
    const [kept, gone] = number < other.number ? [person, other] : [other, person];
    update(kept, updatedProspect(unitedContent(kept, gone), told, companyOf), at);
    moveTo(kept, gone);
    return { number: kept.number, isNews: true };
  }

  /** Moves what belongs to one record to the other: its lead, what was paid for it, and its IDs. */
  function moveTo(kept: StoredProspect, gone: StoredProspect): void {
    const { owner } = current!;
    const [keptSeq, goneSeq] = [seqOf(owner, kept.number), seqOf(owner, gone.number)];
    if (kept.leadId === null && gone.leadId !== null) setLead(owner, kept.number, gone.leadId);
    moveReveal.run(keptSeq, goneSeq);
    moveAliases.run(keptSeq, goneSeq);
    remove(gone);
    insertAlias.run(goneSeq, keptSeq);
  }

  function remove({ number, content }: StoredProspect): void {
    const seq = seqOf(current!.owner, number);
    removeRow.run(seq);
    dropAliases.run(seq);
    current!.change--;
    noteChange(number, { removed: termsOf(content), added: [] }, []);
  }

  /** Recorded for the index, which follows. */
  function noteChange(number: number, { removed, added }: ReturnType<typeof changedTerms>, keys: number[]): void {
    if (removed.length === 0 && added.length === 0 && keys.length === 0) return;
    insertChange.run(current!.owner, number, JSON.stringify(removed), JSON.stringify(added), bytesOf(keys));
  }

  /** The prospect that is the same person; see `samePerson`. */
  function findSame(owner: number, told: NewProspect, hints: Hints): SamePerson<StoredProspect> | null {
    return samePerson(told, (key, except) => candidates(owner, key, hints, except?.number));
  }

  /** Prospects that may have a key, recently stored ones first: duplicates in a file are usually close together. */
  function* candidates(
    owner: number,
    key: number,
    hints: Hints,
    except: number | null = null,
  ): Generator<StoredProspect, void, void> {
    const known = recent(owner).find(key);
    for (const number of [...known.slice(-maxNamesakes), ...hints(key)].slice(0, maxNamesakes)) {
      const candidate = number === except ? null : get(owner, number);
      if (candidate !== null) yield candidate;
    }
  }

  /** Whether a stored person may be the same as one with these keys; `beside`: see `besideName`. */
  function isHinted(owner: number, keys: Keys, beside: number, hints: Hints): boolean {
    const known = recent(owner);
    asked.length = 0;
    addAskedKeys(keys, beside, asked);
    for (let at = 0; at < asked.length; at++) if (hints(asked[at]!).length > 0 || known.has(asked[at]!)) return true;
    return false;
  }

  const setLead = (owner: number, number: number, leadId: string) => setLeadOf.run(leadId, seqOf(owner, number));
  return {
    ...{ recent, unit, next, isUpToDate, get, getKnown, formerSeqs, insert, insertContent, update, updateSame, remove },
    ...{ findSame, candidates, isHinted, setLead },
  };
}

/**
 * The candidate that is the same person: by email address or profile, then by a former address, otherwise by name and
 * company if nothing contradicts it. If the address belongs to one record and the profile to another, returns both, unless
 * they contradict each other. `candidates` returns those that a key may lead to, except one.
 */
export function samePerson<T extends { content: ProspectContent }>(
  { content: told, identity }: NewProspect,
  candidates: (key: number, except: T | null) => Iterable<T>,
): SamePerson<T> | null {
  const { email, network, name } = identity;
  // A record with the same address or profile has its hash, so those found by name alone need not be compared by these.
  const strong = personKeys({ email, network, name: null });
  const person = first(strong, null, ({ content }) => hasAddress(content));
  if (person !== null) return { person, other: first(strong, person, (other) => isOther(other, person)) };
  const names: number[] = [];
  if (name !== null) addAskedNames(nameKey(name), besideNameOf(identity), names);
  const weak =
    first(email === null ? [] : [emailKey(email)], null, ({ content }) => isKnownBefore(content, told)) ??
    first(names, null, ({ content }) => isNamesake(content));
  return weak && { person: weak, other: null };

  function first(keys: number[], except: T | null, fits: (candidate: T) => boolean): T | null {
    for (const key of keys) for (const candidate of candidates(key, except)) if (fits(candidate)) return candidate;
    return null;
  }

  function isOther({ content }: T, known: T): boolean {
    return hasAddress(content) && canBeOne(known.content, content);
  }

  function hasAddress(content: ProspectContent): boolean {
    const theirs = prospectIdentity(content);
    return (email !== null && theirs.email === email) || (network !== null && theirs.network === network);
  }

  function isNamesake(content: ProspectContent): boolean {
    const theirs = prospectIdentity(content);
    return theirs.name === name && namesakeIsSame(theirs, identity);
  }
}

export function prospectOf(workspaceId: WorkspaceId, row: StoredProspect): Prospect {
  const { number, content, leadId, createdAt, updatedAt } = row;
  return { ...content, id: prospectId(workspaceId, number), workspaceId, leadId, createdAt, updatedAt };
}

/** The content of a row, depending on its kind. */
export function contentIn<T extends ProspectContent | CompanyContent>({ content }: { content: Uint8Array }): T {
  return JSON.parse(decoder.decode(content)) as T;
}

const decoder = new TextDecoder();

function stored([, json, leadId, createdAt, updatedAt]: Row, number: number): StoredProspect {
  return { number, content: JSON.parse(json) as ProspectContent, json, leadId, createdAt, updatedAt };
}

/** Returns the same memory each time, valid until the next call: statements copy their parameters. */
function bytesOf(keys: Keys): Uint8Array {
  for (let at = 0; at < keys.length; at++) hashes[at] = keys[at]!;
  return (views[keys.length] ??= new Uint8Array(hashes.buffer, 0, keys.length * 8));
}

const hashes = new Float64Array(16); // a prospect has five at most, and those of `maxFormerEmails`
const views: Uint8Array[] = [];
/** Keys looked up by `isHinted`; one list for all rows. */
const asked: number[] = [];
