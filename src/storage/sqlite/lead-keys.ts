import type { Statement } from "bun:sqlite";
import type { LeadIdentity } from "../../leads/model.ts";
import type { Engine } from "./engine.ts";

/** Entries that wait in the log before they are merged; in memory they take some 4 MB. */
export const mergeAt = 40_000;
/** Sorted entries written in one unit: about 5 ms of the event loop in a large table. */
const mergeSlice = 1_000;
const forgetSlice = 5_000;

/** Leads by key; nearly every key has only one. */
type Entries = Map<number, number | number[]>;

/**
 * Finds leads by the hashes of what identifies them. A sorted table alone would dirty a random page for each key of
 * each new lead, which makes an import of a million rows slower by a factor of five; so new entries go to a log, which
 * is also kept in memory, and are merged in sorted order, when many of them share a page.
 *
 * Answers are hints: an entry may outlive its lead, or what the lead was. Follow it and compare.
 */
export class LeadKeys {
  readonly #engine: Engine;
  // Plain statements: these run three times for each row of an import, and drizzle would double what they cost.
  readonly #inTable: Statement<[number]>;
  readonly #append: Statement;
  readonly #insert: Statement;
  readonly #removeFromTable: Statement;
  readonly #removeFromLog: Statement;
  readonly #forget: Statement;
  /** Entries of the log: those that came since the last merge began, and those that are being merged. Null: not read yet. */
  #recent: Entries | null = null;
  #merging: Entries = new Map();
  #recentCount = 0;
  #merge: Promise<void> | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
    const { database } = engine;
    this.#inTable = database.prepare("SELECT lead FROM lead_keys WHERE key = ?");
    this.#append = database.prepare("INSERT INTO lead_keys_log (key, lead) VALUES (?, ?)");
    this.#insert = database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)");
    this.#removeFromTable = database.prepare("DELETE FROM lead_keys WHERE key = ? AND lead = ?");
    this.#removeFromLog = database.prepare("DELETE FROM lead_keys_log WHERE key = ? AND lead = ?");
    this.#forget = database.prepare(
      "DELETE FROM lead_keys_log WHERE n IN (SELECT n FROM lead_keys_log WHERE n <= ? ORDER BY n LIMIT ?)",
    );
  }

  /** Leads (`seq`) that may have this key. */
  find(key: number): number[] {
    const merged = this.#inTable.values(key) as [number][];
    const merging = this.#merging.get(key);
    const recent = this.#recentEntries().get(key);
    if (merged.length === 0 && merging === undefined && recent === undefined) return [];
    return [...merged.map(([lead]) => lead), ...[merging ?? []].flat(), ...[recent ?? []].flat()];
  }

  /** Inside a write unit. */
  add(key: number, lead: number): void {
    this.#append.run(key, lead);
    this.#remember(this.#recentEntries(), key, lead);
    if (this.#recentCount >= mergeAt && this.#merge === null) this.#startMerge();
  }

  /** Inside a write unit; for leads that are deleted for good. */
  remove(key: number, lead: number): void {
    this.#removeFromTable.run(key, lead);
    // Looks through the whole log, which is short, and only when the entry may be there.
    if (this.#recentEntries().has(key) || this.#merging.has(key)) this.#removeFromLog.run(key, lead);
  }

  /** Resolves when there is room for more: whoever adds many entries waits for it before each batch. */
  async room(): Promise<void> {
    if (this.#recentCount >= mergeAt) await this.#merge;
  }

  /** Resolves when no merge is under way. */
  async settled(): Promise<void> {
    await this.#merge;
  }

  #recentEntries(): Entries {
    if (this.#recent !== null) return this.#recent;
    this.#recent = new Map();
    const log = this.#engine.database.query<{ key: number; lead: number }, []>("SELECT key, lead FROM lead_keys_log");
    for (const { key, lead } of log.all()) this.#remember(this.#recent, key, lead);
    return this.#recent;
  }

  #remember(entries: Entries, key: number, lead: number): void {
    const leads = entries.get(key);
    entries.set(key, leads === undefined ? lead : [leads, lead].flat());
    this.#recentCount++;
  }

  #startMerge(): void {
    this.#merge = this.#mergeLog()
      .catch(() => {
        // The log still has all of them: it is read anew, and the next merge takes them along.
        this.#merging = new Map();
        this.#recent = null;
        this.#recentCount = 0;
      })
      .finally(() => (this.#merge = null));
  }

  async #mergeLog(): Promise<void> {
    const { database, writer } = this.#engine;
    const upTo = await writer.write(() => {
      this.#merging = this.#recentEntries();
      this.#recent = new Map();
      this.#recentCount = 0;
      return database.query<{ n: number | null }, []>("SELECT max(n) AS n FROM lead_keys_log").get()?.n ?? 0;
    });
    const inOrder = Float64Array.from(this.#merging.keys()).sort();
    for (let start = 0; start < inOrder.length; start += mergeSlice)
      await writer.write(() => {
        for (const key of inOrder.subarray(start, start + mergeSlice))
          for (const lead of [this.#merging.get(key) ?? []].flat()) this.#insert.run(key, lead);
      });
    this.#merging = new Map();
    for (let removed = forgetSlice; removed === forgetSlice;)
      removed = await writer.write(() => this.#forget.run(upTo, forgetSlice).changes);
  }
}

/** The hashes that a lead is found by. `strong` ones name a person; a name and company alone may be shared. */
export type KeysOfLead = { strong: number[]; name: number | null };

/** The keys of a lead of this owner; none for what it lacks. */
export function leadKeysOf(owner: number, { email, network, name }: LeadIdentity): KeysOfLead {
  const strong: number[] = [];
  if (email !== null) strong.push(emailKey(owner, email));
  if (network !== null) strong.push(hashOf(`${owner}\np\n${network}`));
  return { strong, name: name === null ? null : hashOf(`${owner}\nn\n${name}`) };
}

/** The hash of an e-mail address in lower case. */
export function emailKey(owner: number, email: string): number {
  return hashOf(`${owner}\ne\n${email}`);
}

/** 53 bits, which a number holds exactly. It is stored, so it has to be a hash that never changes. */
function hashOf(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n);
}
