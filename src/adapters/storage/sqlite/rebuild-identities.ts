import type { Database, Statement } from "bun:sqlite";
import { garbageCollector } from "../../../lib/concurrency/garbage.ts";
import type { Merged } from "../../../features/enrichment/model.ts";
import { paidIdentity } from "../../../features/enrichment/paid-identity.ts";
import { leadIdentity, leadKeysOf } from "../../../features/leads/identity.ts";
import type { LeadContent, LeadIdentity } from "../../../features/leads/model.ts";
import { suppressionKey } from "../../../features/suppression/key.ts";
import { companyKey, canonicalName } from "../../../platform/identity/names.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import { canonicalProfileUrl } from "../../../platform/identity/profile-url.ts";

/**
 * The part of migration 0035 that needs code: what identified people under the previous rules is stored under the
 * current ones. Two leads that become one person stay two; the next write finds them as duplicates.
 */
export function rebuildIdentities(database: Database): void {
  if (database.query("SELECT 1 FROM users LIMIT 1").get() === null) return;
  mergeLeadKeyLog(database);
  rebuildLeadKeys(database);
  rebuildNoteKeys(database);
  rebuildEnrichmentResults(database);
  rebuildProfileKeys(database);
  rebuildSuppressions(database);
}

type Text = string | null;

/** Leads per page. */
const leadsAtOnce = 5_000;
/** 300,000 leads take 44 MB this way, and 330 MB without. */
const pagesBetweenCollections = 4;
const pagesBetweenFullCollections = 16;
/** Entries per batch. A batch is written in the order of its keys, so that its entries share pages of the table. */
const entriesAtOnce = 1_000_000;

/** Moves the log into the table, where entries can be replaced. */
export function mergeLeadKeyLog(database: Database): void {
  const insert = database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)");
  for (const [blob] of database.query("SELECT entries FROM lead_keys_log ORDER BY n").values() as [Uint8Array][]) {
    const entries = new Float64Array(blob.slice().buffer);
    for (let at = 0; at < entries.length; at += 2) insert.run(entries[at]!, entries[at + 1]!);
  }
  database.run("DELETE FROM lead_keys_log");
}

type LeadRow = [seq: number, owner: number, email: Text, network: Text, first: Text, last: Text, company: Text];

function rebuildLeadKeys(database: Database): void {
  const page = database.prepare(
    `SELECT seq, owner, email, network_url, first_name, last_name, company FROM leads
     WHERE seq > ? ORDER BY seq LIMIT ${leadsAtOnce}`,
  );
  const removed = new KeyEntries(database.prepare("DELETE FROM lead_keys WHERE key = ? AND lead = ?"));
  const added = new KeyEntries(database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)"));
  const collect = garbageCollector(pagesBetweenCollections, pagesBetweenFullCollections);
  for (let last: number | undefined = 0; last !== undefined;) {
    const rows = page.values(last) as LeadRow[];
    for (const [seq, owner, email, networkUrl, firstName, lastName, company] of rows) {
      const texts = { email, networkUrl, firstName, lastName, company };
      const identity = leadIdentity(texts);
      const former = formerIdentity(texts, identity);
      if (former === null) continue;
      const keys = keysOf(owner, identity);
      const formerKeys = keysOf(owner, former);
      for (const key of formerKeys) if (!keys.includes(key)) removed.add(key, seq);
      for (const key of keys) if (!formerKeys.includes(key)) added.add(key, seq);
    }
    last = rows.at(-1)?.[0];
    collect();
  }
  removed.write();
  added.write();
}

/** Keys and rows that wait for a statement. */
export class KeyEntries {
  readonly #statement: Statement<unknown, [number, number]>;
  readonly #keys = new Float64Array(entriesAtOnce);
  readonly #rows = new Float64Array(entriesAtOnce);
  #count = 0;

  constructor(statement: Statement<unknown, [number, number]>) {
    this.#statement = statement;
  }

  add(key: number, row: number): void {
    if (this.#count === entriesAtOnce) this.write();
    this.#keys[this.#count] = key;
    this.#rows[this.#count++] = row;
  }

  write(): void {
    const places = Uint32Array.from({ length: this.#count }, (_, place) => place);
    places.sort((one, other) => this.#keys[one]! - this.#keys[other]!);
    for (const place of places) this.#statement.run(this.#keys[place]!, this.#rows[place]!);
    this.#count = 0;
  }
}

type Texts = Pick<LeadContent, "email" | "networkUrl" | "firstName" | "lastName" | "company">;

/** The identity under the previous rules; null if it was the same. */
function formerIdentity(texts: Texts, identity: LeadIdentity): LeadIdentity | null {
  const { email, networkUrl, firstName, lastName, company } = texts;
  const former = {
    email: email?.toLowerCase() ?? null,
    network: networkUrl !== null && changedProfile.test(networkUrl) ? null : identity.network,
    name: identity.name && [firstName ?? "", lastName ?? "", company ?? ""].map(canonicalName).join("\n"),
  };
  const isSame =
    former.email === identity.email && former.network === identity.network && former.name === identity.name;
  return isSame ? null : former;
}

/** URLs with an escape, or with two subdomains in front. Their previous entries stay in the index as stale hints. */
const changedProfile = /%|^(https?:\/\/)?(www|m|[a-z]{2})\.(m|[a-z]{2})\./i;

function keysOf(owner: number, identity: LeadIdentity): number[] {
  const { strong, name } = leadKeysOf(owner, identity);
  return name === null ? strong : [...strong, name];
}

/** Rebuilds the keys of dry runs that have not ended. The SQL of the migration has deleted them. */
function rebuildNoteKeys(database: Database): void {
  const notes = database.query(
    `SELECT users.seq, note.job_id, note.n, note.texts FROM lead_import_notes AS note
     JOIN jobs ON jobs.id = note.job_id JOIN users ON users.id = jobs.user_id`,
  );
  const insert = database.prepare("INSERT OR IGNORE INTO lead_import_note_keys (job_id, key, n) VALUES (?, ?, ?)");
  for (const [owner, jobId, n, texts] of notes.values() as [number, string, number, string][])
    for (const key of keysOf(owner, leadIdentity(JSON.parse(texts) as Texts))) insert.run(jobId, key, n);
}

type ResultRow = [n: number, owner: number, email: Text, network: Text, name: Text, fields: string];

/** Rebuilds results and their keys, which the SQL of the migration has deleted. */
function rebuildEnrichmentResults(database: Database): void {
  const page = database.prepare(
    "SELECT n, owner, email, network, name, fields FROM enrichment_results WHERE n > ? ORDER BY n LIMIT 1000",
  );
  const update = database.prepare("UPDATE enrichment_results SET email = ?, network = ?, name = ? WHERE n = ?");
  const insert = database.prepare("INSERT OR IGNORE INTO enrichment_result_keys (key, result) VALUES (?, ?)");
  for (let last: number | undefined = 0; last !== undefined;) {
    const rows = page.values(last) as ResultRow[];
    for (const [n, owner, email, network, name, fields] of rows) {
      const identity = {
        email: email === null ? null : canonicalEmail(email),
        network: network === null ? null : currentProfileKey(network),
        name: name === null ? null : withCompanyKey(name),
      };
      update.run(identity.email, identity.network, identity.name, n);
      for (const key of keysOf(owner, paidIdentity(identity, JSON.parse(fields) as Merged))) insert.run(key, n);
    }
    last = rows.at(-1)?.[0];
  }
}

/** A name of the previous rules: first name, last name, and company with its legal form. */
function withCompanyKey(name: string): string {
  const company = name.lastIndexOf("\n") + 1;
  return name.slice(0, company) + companyKey(name.slice(company));
}

/** Selects the few profile keys that may change: those with a character that was escaped, or with two subdomains. */
const mayChange = (column: string) =>
  `${column} GLOB '*[ ?#%\\]*' OR ${column} GLOB 'https://m.*.*/*' OR ${column} GLOB 'https://[a-z][a-z].*.*/*'`;

function rebuildProfileKeys(database: Database): void {
  for (const table of ["network_actions", "network_contacts", "campaign_enrollments"]) {
    const keys = database.query(`SELECT DISTINCT profile_key FROM ${table} WHERE ${mayChange("profile_key")}`);
    const update = database.prepare(`UPDATE OR IGNORE ${table} SET profile_key = ? WHERE profile_key = ?`);
    // The target of an action is a profile, with "#" and a post or skill behind it for some kinds.
    const retarget =
      table !== "network_actions"
        ? null
        : database.prepare(
            "UPDATE network_actions SET target_key = ? || substr(target_key, length(profile_key) + 1) WHERE profile_key = ?",
          );
    for (const [key] of keys.values() as [string][]) {
      const current = currentProfileKey(key);
      if (current === key) continue;
      retarget?.run(current, key);
      update.run(current, key);
    }
  }
}

function rebuildSuppressions(database: Database): void {
  const rows = database.query(
    `SELECT seq, value FROM suppressions WHERE kind = 'profile' AND value IS NOT NULL AND (${mayChange("value")})`,
  );
  const update = database.prepare("UPDATE OR IGNORE suppressions SET key = ?, value = ? WHERE seq = ?");
  for (const [seq, value] of rows.values() as [number, string][]) {
    const current = currentProfileKey(value);
    if (current !== value) update.run(suppressionKey("profile", current), current, seq);
  }
}

/** The current key of a profile, given its key under the previous rules. */
function currentProfileKey(former: string): string {
  const [, host = "", path = ""] = /^(https:\/\/[^/]+\/)(.*)$/s.exec(former) ?? [];
  return canonicalProfileUrl(host + escaped(path)) ?? former;
}

/** Restores escapes, which were resolved even for characters that end a path. A path with invalid escapes was kept. */
function escaped(path: string): string {
  try {
    decodeURIComponent(path);
    return path.replace(resolved, encodeURIComponent);
  } catch {
    return path;
  }
}

// oxlint-disable-next-line no-control-regex -- a URL can have escapes of them
const resolved = /[%?#\\\s\u0000-\u001f\u007f]/g;
