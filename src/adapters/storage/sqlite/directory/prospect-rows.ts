import type { Database } from "bun:sqlite";
import { changedTerms, termRules, termsOf } from "../../../../features/prospecting/facets/terms.ts";
import type { Keys } from "../../../../features/prospecting/directory-model.ts";
import { maxNamesakes, type DirectoryRecords } from "../../../../features/prospecting/directory-decisions.ts";
import { addedKeys, isPersonKey } from "../../../../features/prospecting/keys.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { addAskedKeys, indexedKey, personKeysIn } from "../../../../features/prospecting/name-keys.ts";
import type { StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import { RecentKeys } from "../../../../lib/key-index/recent-keys.ts";
import { prepared } from "../prepared.ts";
import { seqOf } from "../../prospect-seq.ts";
import type { ProspectCompanies } from "./prospect-companies.ts";

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

  function update(before: StoredProspect, content: ProspectContent, json: string, at: number): void {
    const { owner } = current!;
    updateRow.run(json, at, seqOf(owner, before.number));
    const keys = addedKeys(before.content, content);
    for (const key of keys) if (isPersonKey(key)) recent(owner).add(key, before.number);
    noteChange(before.number, changedTerms(before.content, content), keys);
  }

  /** Moves what belongs to one record to the other: its lead, what was paid for it, and its IDs. */
  function unite(kept: StoredProspect, gone: StoredProspect): void {
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

  /** The records of a directory, for decisions inside its unit. */
  function records(owner: number, hints: Hints, companies: ProspectCompanies): DirectoryRecords {
    return {
      candidates: (key, except) => candidates(owner, key, hints, except),
      isHinted: (keys, beside) => isHinted(owner, keys, beside, hints),
      get: (number) => get(owner, number),
      ...{ insert, update, unite },
      hasCompanies: () => companies.hasAny(owner),
      findCompany: (domain, name) => companies.find(owner, domain, name),
      companyOf: (employer) => companies.ofEmployer(owner, employer),
      putCompany: (content, at, mayUpdate) => companies.put(owner, content, at, mayUpdate),
    };
  }

  return {
    ...{ recent, unit, next, isUpToDate, get, getKnown, formerSeqs, insert, update, remove },
    ...{ candidates, isHinted, setLead, records },
  };
}

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
